import pickle

import psutil
import pytest
import torch

from playground.lessons.devices import records
from playground.lessons.devices.records import (
    CompareDevices,
    CompareMemoryFigures,
    MemoryMoment,
    ReadGpus,
    ReadServer,
    RunNvidiaSmi,
    UseDevice,
)
from playground.machines import Machine, MachineKind
from playground.units import GIBIBYTE, MEBIBYTE
from tests.lessons.devices.answering import run
from tests.turns import in_turn

REAL = Machine(kind=MachineKind.REAL)
ALL = [
    kind()
    for kind in vars(records).values()
    if isinstance(kind, type)
    and issubclass(kind, records.Settings)
    and kind is not records.Settings
]


@in_turn("settings", ALL)
def test_every_report_is_plain_data_and_explains_itself(settings):
    report = run(settings)

    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301 - our own bytes
    assert report.why
    assert isinstance(report.told, dict)


@pytest.mark.parametrize("settings", [each for each in ALL if each.deterministic])
def test_equal_settings_give_equal_reports(settings):
    assert run(settings) == run(settings)


@pytest.mark.parametrize("machine", [REAL, Machine(gpus=3)])
def test_the_server_is_read_whatever_machine_was_chosen(machine):
    report = run(ReadServer(machine=machine))

    assert report.inventory.torch_version == torch.__version__
    assert report.inventory.memory_total_bytes == psutil.virtual_memory().total
    assert report.facts["torch"] == torch.__version__
    assert report.inventory.accelerator_count == torch.accelerator.device_count()
    assert torch.__version__ in report.text


def test_simulated_gpus_are_read_through_torch_and_have_no_sensors():
    report = run(ReadGpus(machine=Machine(gpus=2, memory_gib=8), index=1))

    assert [gpu.device for gpu in report.accelerators] == ["cuda:0", "cuda:1"]
    assert report.chosen.memory_total_bytes == 8 * GIBIBYTE
    assert report.facts["temperature"] is None
    assert report.facts["power"] is None
    assert report.why == "simulated-gpu"
    assert report.where == "where-simulated"
    assert report.machine_facts == {
        "accelerator-available": True,
        "accelerator-type": "cuda",
        "accelerator-count": 2,
    }


def test_a_gpu_that_is_not_there_is_said_so():
    report = run(ReadGpus(machine=Machine(gpus=1), index=1))

    assert report.chosen is None
    assert report.why == "no-gpu-there"
    assert report.told == {"count": 1}


def test_the_real_machine_lists_what_it_really_has():
    report = run(ReadGpus(machine=REAL))

    assert report.count == torch.accelerator.device_count()
    assert report.where == "where-server"


def test_nvidia_smi_is_run_or_said_to_be_absent(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(RunNvidiaSmi()).why == "smi-absent"
    script = tmp_path / "nvidia-smi"
    script.write_text("#!/bin/sh\necho table\n")
    script.chmod(0o755)

    report = run(RunNvidiaSmi())

    assert (report.is_there, report.printed, report.why) == (True, "table\n", "smi-answered")


@pytest.mark.parametrize("mebibytes", [1, 8, 100])
def test_deleting_a_tensor_gives_memory_back_to_torch_and_not_to_the_driver(mebibytes):
    report = run(CompareMemoryFigures(mebibytes=mebibytes))

    figures = {each.moment: each for each in report.figures}
    before, held = figures[MemoryMoment.BEFORE], figures[MemoryMoment.HELD]
    deleted, emptied = figures[MemoryMoment.DELETED], figures[MemoryMoment.EMPTIED]
    assert held.allocated_bytes - before.allocated_bytes == mebibytes * MEBIBYTE
    assert deleted.allocated_bytes == before.allocated_bytes
    assert held.reserved_bytes == deleted.reserved_bytes >= mebibytes * MEBIBYTE
    assert emptied.reserved_bytes == before.reserved_bytes
    assert deleted.used_bytes == held.used_bytes > emptied.used_bytes
    assert report.actual == "allocated"


def test_without_a_gpu_there_is_no_memory_to_look_at():
    report = run(CompareMemoryFigures(machine=Machine(gpus=0)))

    assert not report.outcome.ok
    assert (report.why, report.figures) == ("memory-no-gpu", ())


@pytest.mark.parametrize(
    ("text", "stops_at", "index", "lands_on"),
    [
        ("cpu", "neither", None, "cpu"),
        ("cuda", "neither", None, "cuda:0"),
        ("cuda:0", "neither", 0, "cuda:0"),
        ("cuda:1", "neither", 1, "cuda:1"),
        ("cuda:7", "second-line", 7, None),
        ("gpu", "first-line", None, None),
    ],
)
def test_an_object_is_a_label_until_it_is_used(text, stops_at, index, lands_on):
    report = run(UseDevice(text=text))

    assert report.actual == stops_at
    assert (report.index, report.lands_on) == (index, lands_on)


def test_a_gpu_that_is_not_there_is_torchs_own_error():
    missing = run(UseDevice(text="cuda:7")).said
    no_gpu = run(UseDevice(machine=Machine(gpus=0), text="cuda")).said
    unknown = run(UseDevice(text="gpu")).said

    assert missing.error_type == "AcceleratorError"
    assert "invalid device ordinal" in missing.message
    assert not no_gpu.ok
    assert unknown.message.startswith("Expected one of cpu, cuda,")


@in_turn("left", CompareDevices.TEXTS)
@pytest.mark.parametrize("right", CompareDevices.TEXTS)
def test_objects_are_equal_when_type_and_index_are(left, right):
    report = run(CompareDevices(left=left, right=right))

    assert report.is_equal is (left == right)  # the strings are canonical, so the oracle is simple
    assert report.is_equal is (torch.device(left) == torch.device(right))


def test_cuda_and_cuda_0_are_one_place_and_two_objects():
    report = run(CompareDevices(left="cuda", right="cuda:0"))

    assert report.left_lands_on == report.right_lands_on == "cuda:0"
    assert (report.is_equal, report.why) == (False, "unequal-same-place")
