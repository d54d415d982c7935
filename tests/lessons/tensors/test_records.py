"""Settings refuse what cannot be, before any torch is involved."""

import pickle

import pytest

from playground import catalog
from playground.errors import InvalidSettingError
from playground.lessons.tensors.records import (
    AddAcrossDevices,
    AllocateEmpty,
    FillMemory,
    FixAcrossDevices,
    MeasureTensor,
    MeasureTransfer,
    MoveMethod,
    MoveTensor,
    Operation,
    PrintTensor,
    Remedy,
    ZeroDim,
)
from playground.machines import Machine
from playground.machines.machine import MachineKind
from tests.turns import in_turn

ALL_SETTINGS = list(catalog.settings_classes("tensors").values())


def test_there_are_fourteen_settings():
    assert len(ALL_SETTINGS) == 14


@in_turn("kind", ALL_SETTINGS)
def test_settings_have_good_defaults_and_survive_pickling(kind):
    settings = kind()

    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - written on this line


def test_the_sum_meets_a_gpu_and_the_cpu_by_default():
    settings = AddAcrossDevices()

    assert (settings.left, settings.right, settings.operation) == ("cuda:0", "cpu", Operation.ADD)
    assert settings.machine == Machine(kind=MachineKind.SIMULATED, gpus=2)


@in_turn(
    ("kind", "values", "field"),
    [
        (PrintTensor, {"device": "cuda:2"}, "device"),
        (PrintTensor, {"device": "gpu"}, "device"),
        (PrintTensor, {"device": "meta"}, "device"),
        (AddAcrossDevices, {"left": "cuda:7"}, "left"),
        (AddAcrossDevices, {"right": "cuda"}, "right"),
        (AddAcrossDevices, {"operation": "subtract"}, "operation"),
        (AddAcrossDevices, {"operation": Operation.CAT, "zero_dim": ZeroDim.LEFT}, "zero_dim"),
        (MoveTensor, {"start": "cuda:-1"}, "start"),
        (MoveTensor, {"method": MoveMethod.CUDA_INDEX, "target": "cpu"}, "target"),
        (FixAcrossDevices, {"remedy": Remedy.MOVE_BOTH, "target": "cuda:5"}, "target"),
        (FixAcrossDevices, {"remedy": Remedy.MOVE_LEFT, "target": None}, "target"),
        (MoveTensor, {"requires_grad": "yes"}, "requires_grad"),
        (PrintTensor, {"machine": None}, "machine"),
        (PrintTensor, {"machine": Machine(kind=MachineKind.REAL), "device": 0}, "device"),
        (AllocateEmpty, {"elements": 0}, "elements"),
        (AllocateEmpty, {"elements": 1.5}, "elements"),
        (AllocateEmpty, {"elements": 2**40}, "elements"),
        (MeasureTensor, {"rows": 8193}, "rows"),
        (MeasureTensor, {"columns": 0}, "columns"),
        (MeasureTensor, {"dtype": "complex64"}, "dtype"),
        (MeasureTransfer, {"mebibytes": 65}, "mebibytes"),
        (FillMemory, {"piece_gib": 8.5}, "piece_gib"),
        (FillMemory, {"piece_gib": float("nan")}, "piece_gib"),
        (FillMemory, {"pieces": 25}, "pieces"),
        (FillMemory, {"pieces": True}, "pieces"),
    ],
)
def test_what_cannot_be_is_refused_by_the_name_of_its_field(kind, values, field):
    with pytest.raises(InvalidSettingError) as refusal:
        kind(**values)

    assert refusal.value.field == field


def test_a_target_that_counts_for_nothing_may_be_one_that_the_machine_has_not():
    assert MoveTensor(machine=Machine(gpus=0), method=MoveMethod.CPU).target == "cuda:0"
    with pytest.raises(InvalidSettingError):
        MoveTensor(method=MoveMethod.CPU, target="gpu")


@pytest.mark.parametrize(
    ("machine", "allowed"),
    [
        (Machine(gpus=1), "cuda:0"),
        (Machine(gpus=3), "cuda:0, cuda:1, cuda:2"),
        (Machine(kind=MachineKind.REAL), ", ".join(f"cuda:{index}" for index in range(8))),
    ],
)
def test_an_index_is_refused_for_the_cpu_and_the_gpus_are_named(machine, allowed):
    with pytest.raises(InvalidSettingError) as refusal:
        MoveTensor(machine=machine, method=MoveMethod.CUDA_INDEX, target="cpu")

    assert refusal.value.values["allowed"] == allowed


def test_a_plain_id_has_what_its_member_has():
    settings = AddAcrossDevices(operation="linear", zero_dim="neither")

    assert settings == AddAcrossDevices(operation=Operation.LINEAR)
    assert settings.moves == {"Y": "cuda:0", "b": "cuda:0"}


def test_the_largest_tensor_takes_a_quarter_of_a_gibibyte():
    most = MeasureTensor.BOUNDS

    assert most["rows"]["most"] * most["columns"]["most"] * 8 == 2**28


@pytest.mark.parametrize("operation", Operation)
def test_a_written_operation_names_each_of_its_tensors(operation):
    assert all(name in operation.written() for name in operation.operands)
    assert "b" in operation.operands or "b)" not in operation.written()
