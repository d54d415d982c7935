"""Every program that a student is shown really runs, and answers what the report says."""

import ast
import itertools

import pytest

from playground.lessons.tensors import source
from playground.lessons.tensors.records import (
    AddAcrossDevices,
    Alike,
    AllocateEmpty,
    Assignment,
    Computation,
    ComputeOnDevice,
    ConvertToNumpy,
    CreateAlike,
    CreateTensor,
    CreationWay,
    DataType,
    Edit,
    FillMemory,
    FixAcrossDevices,
    MeasureTensor,
    MeasureTransfer,
    MoveAndConvert,
    MoveMethod,
    MoveTensor,
    NumpyChain,
    Operation,
    Override,
    PinTensor,
    PrintTensor,
    Remedy,
    ToForm,
    TransferKind,
    ZeroDim,
    zero_dims,
)
from playground.machines import Machine
from tests.answers import answer_once as answer
from tests.programs import run_program
from tests.turns import in_turn

DEVICES = ("cpu", "cuda:0", "cuda:1")
PAIRS = list(itertools.product(DEVICES, DEVICES))


def run_both(settings, program):
    """The report of the experiment, and what the shown program bound to ``result``, or refused."""
    report = answer(settings)
    result, outcome = run_program(program, settings.machine)
    assert outcome == report.outcome  # torch's own words in both, or success in both
    return report, result


@pytest.mark.parametrize("device", DEVICES)
def test_print_tensor(device):
    settings = PrintTensor(device=device)
    report, result = run_both(settings, source.print_tensor(settings))

    assert result == (report.default_printed, report.placed_printed)


@pytest.mark.parametrize("way", CreationWay)
@pytest.mark.parametrize("device", DEVICES)
def test_create_tensor(device, way):
    settings = CreateTensor(device=device, way=way)
    report, result = run_both(settings, source.create_tensor(settings))

    assert result == report.y_device


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("elements", [1, 16384, 65536])
def test_allocate_empty(device, elements):
    settings = AllocateEmpty(device=device, elements=elements)
    report, result = run_both(settings, source.allocate_empty(settings))

    assert result == (report.y_device, report.elements)


@in_turn("requires_grad", [False, True])
@in_turn("assignment", Assignment)
@in_turn("method", MoveMethod)
@pytest.mark.parametrize(("start", "target"), PAIRS)
def test_move_tensor(start, target, method, assignment, requires_grad):
    if method == MoveMethod.CUDA_INDEX and target == "cpu":
        target = "cuda:1"
    settings = MoveTensor(
        start=start,
        target=target,
        method=method,
        assignment=assignment,
        requires_grad=requires_grad,
    )
    report, result = run_both(settings, source.move_tensor(settings))

    if assignment == Assignment.NEW_NAME:
        assert result == (
            report.x_device,
            report.moved_device,
            report.is_same_object,
            report.is_leaf,
        )
    else:
        is_leaf = report.is_leaf if assignment == Assignment.SAME_NAME else True
        assert result == (report.x_device, is_leaf)


@in_turn("computation", Computation)
@pytest.mark.parametrize("device", DEVICES)
def test_compute_on_device(device, computation):
    settings = ComputeOnDevice(device=device, computation=computation)
    report, result = run_both(settings, source.compute_on_device(settings))

    place, value = (None, result) if computation == Computation.ITEM else result
    assert (place, str(value)) == (report.y_device, report.value)


@in_turn(
    ("operation", "zero_dim"),
    [(operation, zero_dim) for operation in Operation for zero_dim in zero_dims(operation)],
)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_add_across_devices(left, right, operation, zero_dim):
    settings = AddAcrossDevices(left=left, right=right, operation=operation, zero_dim=zero_dim)
    report, result = run_both(settings, source.add_across_devices(settings))

    if report.outcome.ok:
        assert (result[0], str(result[1])) == (report.result_device, report.result_values)
    else:
        assert result is None


@in_turn("remedy", Remedy)
@in_turn("operation", Operation)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_fix_across_devices(left, right, operation, remedy):
    settings = FixAcrossDevices(
        left=left, right=right, operation=operation, remedy=remedy, target="cuda:1"
    )
    report, result = run_both(settings, source.fix_across_devices(settings))

    assert (result[0], str(result[1])) == (report.result_device, report.result_values)


@pytest.mark.parametrize("operation", Operation)
def test_the_fix_differs_from_the_failing_program_in_one_line(operation):
    failing = source.add_across_devices(AddAcrossDevices(operation=operation)).splitlines()
    settings = FixAcrossDevices(operation=operation)
    fixed = source.fix_across_devices(settings).splitlines()

    changed = [pair for pair in zip(failing, fixed, strict=True) if pair[0] != pair[1]]
    assert changed == [source.mend_meeting(settings)]


def test_the_offered_fix_of_the_sum_is_the_textbook_one():
    assert source.mend_meeting(AddAcrossDevices()) == ("Z = X + Y", 'Z = X + Y.to("cuda:0")')


@in_turn("edit", Edit)
@in_turn("requires_grad", [False, True])
@in_turn("device", DEVICES)
@pytest.mark.parametrize("chain", NumpyChain)
def test_convert_to_numpy(chain, device, requires_grad, edit):
    settings = ConvertToNumpy(device=device, requires_grad=requires_grad, chain=chain, edit=edit)
    report, result = run_both(settings, source.convert_to_numpy(settings))

    if report.outcome.ok:
        x_values, array_values = (tuple(f"{value:g}" for value in side) for side in result)
        assert (x_values, array_values) == (report.x_values, report.array_values)


@in_turn("override", Override)
@in_turn("alike", Alike)
@in_turn("dtype", DataType)
@pytest.mark.parametrize("device", DEVICES)
def test_create_alike(device, dtype, alike, override):
    settings = CreateAlike(device=device, dtype=dtype, alike=alike, override=override)
    report, result = run_both(settings, source.create_alike(settings))

    assert result == (report.y_device, f"torch.{report.y_dtype}")


@in_turn("form", ToForm)
@in_turn("dtype", DataType)
@pytest.mark.parametrize(("device", "target"), PAIRS)
def test_move_and_convert(device, target, dtype, form):
    settings = MoveAndConvert(device=device, target=target, dtype=dtype, form=form)
    report, result = run_both(settings, source.move_and_convert(settings))

    assert result[:2] == (report.y_device, f"torch.{report.y_dtype}")
    assert str(result[2]) == report.y_values


@pytest.mark.parametrize("device", DEVICES)
def test_pin_tensor(device):
    settings = PinTensor(device=device)
    report, result = run_both(settings, source.pin_tensor(settings))

    assert result == report.is_pinned


def test_measure_transfer_times_the_three_kinds():
    settings = MeasureTransfer(mebibytes=1)
    result, outcome = run_program(source.measure_transfer(settings), settings.machine)

    assert outcome.ok
    assert result == tuple(TransferKind)


@in_turn("dtype", DataType)
@in_turn("device", DEVICES)
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (30, 7), (1024, 1024), (8192, 4096)])
def test_measure_tensor(rows, columns, device, dtype):
    settings = MeasureTensor(device=device, rows=rows, columns=columns, dtype=dtype)
    report, result = run_both(settings, source.measure_tensor(settings))

    assert result == report.size_bytes


@pytest.mark.parametrize(
    ("memory_gib", "piece_gib", "pieces"),
    [(8.0, 3.0, 3), (8.0, 2.0, 4), (0.25, 0.25, 2), (80.0, 8.0, 11)],
)
def test_fill_memory(memory_gib, piece_gib, pieces):
    machine = Machine(memory_gib=memory_gib)
    settings = FillMemory(machine=machine, piece_gib=piece_gib, pieces=pieces)
    report, result = run_both(settings, source.fill_memory(settings))

    assert result == (report.fitted if report.outcome.ok else None)


@pytest.mark.parametrize(
    ("settings", "program"),
    [
        (PrintTensor(device="cpu"), source.print_tensor),
        (AddAcrossDevices(operation=Operation.LINEAR), source.add_across_devices),
        (AddAcrossDevices(zero_dim=ZeroDim.LEFT), source.add_across_devices),
        (FixAcrossDevices(), source.fix_across_devices),
        (ConvertToNumpy(requires_grad=True, edit=Edit.TENSOR), source.convert_to_numpy),
        (MeasureTransfer(), source.measure_transfer),
        (MeasureTensor(), source.measure_tensor),
        (FillMemory(), source.fill_memory),
    ],
)
def test_programs_are_whole_and_know_nothing_of_the_playground(settings, program):
    text = program(settings)

    tree = ast.parse(text)
    assert isinstance(tree.body[0], ast.Import)
    assert ast.unparse(tree.body[-1]).startswith("result = ")
    assert "playground" not in text
    assert max(map(len, text.splitlines())) <= 88
