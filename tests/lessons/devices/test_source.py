import ast

import pytest

from playground.compute.dispatch import find_experiment
from playground.lessons.devices import source
from playground.lessons.devices.records import (
    Call,
    CompareDevices,
    CompareMemoryFigures,
    CurrentWay,
    DefaultWay,
    Factory,
    Idiom,
    MemoryMoment,
    Moment,
    PickDevice,
    ReadGpus,
    ReadServer,
    RunNvidiaSmi,
    TryAllGpus,
    TryGpu,
    UseCurrentDevice,
    UseDefaultDevice,
    UseDevice,
    Variable,
    VisibleDevices,
)
from playground.machines import Machine, MachineKind
from playground.machines.visible_devices import simulated_uuids
from tests.lessons.devices import answering
from tests.programs import run_program
from tests.turns import in_turn

ALL = (ReadServer, ReadGpus, RunNvidiaSmi, CompareMemoryFigures, UseDevice, CompareDevices) + (
    (TryGpu, TryAllGpus, PickDevice, VisibleDevices, UseCurrentDevice, UseDefaultDevice)
)


def run(settings):
    """The report, and the program that is shown beside it."""
    program = getattr(source, find_experiment(type(settings)).__name__)
    return answering.run(settings), program(settings)


@in_turn("kind", ALL)
def test_programs_are_whole_and_name_nothing_of_the_playground(kind):
    _, program = run(kind())

    tree = ast.parse(program)
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    assert "result" in names
    assert "playground" not in program
    assert "simulated" not in program
    assert program.endswith("\n")
    assert max(map(len, program.splitlines())) <= 96


def test_the_server_program_reads_what_the_report_says():
    report, program = run(ReadServer())

    result, outcome = run_program(program, Machine(kind=MachineKind.REAL))

    inventory = report.inventory
    assert outcome.ok
    assert result == (
        inventory.torch_version,
        inventory.cuda_build,
        inventory.python_version,
        inventory.accelerator_is_available,
    )


@pytest.mark.parametrize("index", [0, 1, 2])
def test_the_gpu_program_reads_what_the_report_says(index):
    settings = ReadGpus(machine=Machine(gpus=2, memory_gib=4), index=index)
    report, program = run(settings)

    result, outcome = run_program(program, settings.machine)

    gpu = report.chosen
    assert outcome.ok
    assert result == (gpu and (gpu.name, gpu.memory_total_bytes, gpu.compute_capability))


def test_the_nvidia_smi_program_finds_what_the_report_says(monkeypatch, tmp_path, capfd):
    for there in (False, True):
        monkeypatch.setenv("PATH", str(tmp_path))
        if there:
            (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho table\n")
            (tmp_path / "nvidia-smi").chmod(0o755)
        report, program = run(RunNvidiaSmi())

        result, outcome = run_program(program, Machine(kind=MachineKind.REAL))

        assert outcome.ok
        assert result is report.is_there is there
    assert capfd.readouterr().out == "table\n"


@pytest.mark.parametrize("mebibytes", [1, 8, 64])
def test_the_memory_program_sees_the_figures_of_the_report(mebibytes, capsys):
    settings = CompareMemoryFigures(mebibytes=mebibytes)
    report, program = run(settings)

    result, outcome = run_program(program, settings.machine)

    figures = {each.moment: each for each in report.figures}
    held, deleted = figures[MemoryMoment.HELD], figures[MemoryMoment.DELETED]
    assert outcome.ok
    assert result == (held.allocated_bytes, deleted.allocated_bytes)
    assert capsys.readouterr().out.split() == [
        str(held.reserved_bytes),
        str(deleted.reserved_bytes),
        str(figures[MemoryMoment.EMPTIED].used_bytes),
    ]


@in_turn("gpus", [0, 1, 2])
@pytest.mark.parametrize("text", UseDevice.TEXTS)
def test_the_device_program_ends_as_the_report_says(text, gpus):
    settings = UseDevice(machine=Machine(gpus=gpus), text=text)
    report, program = run(settings)

    result, outcome = run_program(program, settings.machine)

    assert (result, outcome) == (report.lands_on, report.said)


@in_turn("left", CompareDevices.TEXTS)
@pytest.mark.parametrize("right", CompareDevices.TEXTS)
def test_the_comparison_is_the_reports(left, right):
    settings = CompareDevices(left=left, right=right)
    report, program = run(settings)

    assert run_program(program, settings.machine)[0] is report.is_equal


@in_turn("gpus", [0, 1, 2, 8])
@pytest.mark.parametrize("index", [0, 1, 7])
def test_try_gpu_lands_where_the_report_says_and_so_does_the_next_line(gpus, index):
    settings = TryGpu(machine=Machine(gpus=gpus), index=index)
    report, program = run(settings)

    assert run_program(program, settings.machine)[0] == report.device
    _, insisted = run_program(f"{program}Z = Y.cuda({index})\n", settings.machine)
    assert insisted == report.insisted


@pytest.mark.parametrize("gpus", [0, 1, 5])
def test_try_all_gpus_keeps_its_promise(gpus):
    report, program = run(TryAllGpus.on_host(gpus))

    assert run_program(program, Machine(gpus=gpus))[0] == report.as_promised


@pytest.mark.parametrize("idiom", Idiom)
def test_portable_code_is_the_same_on_every_host(idiom):
    report, program = run(PickDevice(idiom=idiom))

    assert run_program(program, Machine())[0] == report.device
    for host in report.elsewhere:
        assert run_program(program, Machine(gpus=host.gpus))[0] == host.device


@in_turn("variable", Variable)
@in_turn("moment", Moment)
@pytest.mark.parametrize(
    "value",
    [None, "1", "0,2,3", "3,1", "", "-1", "nonsense", "0,0", " 1", "1,x,2", "9", "'", '"\\']
    + [simulated_uuids(4)[1], "GPU-", "一"],
)
def test_the_program_sees_as_many_gpus_as_the_report_says(value, moment, variable):
    settings = VisibleDevices(value=value, moment=moment, variable=variable)
    report, program = run(settings)

    result, outcome = run_program(program, Machine(gpus=settings.physical_gpus))

    assert outcome.ok
    assert result == len(report.mapping)


@in_turn("way", CurrentWay)
@in_turn("call", Call)
@pytest.mark.parametrize("index", [0, 1, 3])
def test_the_current_device_program_ends_as_the_report_says(way, call, index):
    settings = UseCurrentDevice(way=way, call=call, index=index)
    report, program = run(settings)

    result, outcome = run_program(program, settings.machine)

    assert (result, outcome) == (report.device, report.outcome)


@in_turn("way", DefaultWay)
@in_turn("factory", Factory)
@pytest.mark.parametrize("device", ["cpu", "cuda:0", "cuda:1"])
def test_the_default_device_program_ends_as_the_report_says(way, factory, device):
    settings = UseDefaultDevice(way=way, factory=factory, device=device)
    report, program = run(settings)

    result, outcome = run_program(program, settings.machine)

    assert (result, outcome) == (report.device, report.outcome)


def test_an_absent_default_device_stops_the_program():
    machine = Machine(kind=MachineKind.REAL)
    settings = UseDefaultDevice(machine=machine, device="cuda:63")
    report, program = run(settings)

    assert run_program(program, machine) == (None, report.outcome)
