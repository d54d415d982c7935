"""What the experiments answer, held against what PyTorch documents and plain arithmetic."""

import gc
import itertools
import re
import resource

import pytest
import torch

from playground import catalog, compute
from playground.compute.outcome import Outcome
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
)
from playground.machines import Machine
from playground.machines.machine import MachineKind
from tests.turns import in_turn

REAL = Machine(kind=MachineKind.REAL)
DEVICES = ("cpu", "cuda:0", "cuda:1")
PAIRS = list(itertools.product(DEVICES, DEVICES))
X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
Y = torch.tensor([[10.0, 20.0], [30.0, 40.0]])
RESULTS = {  # the same operations, spelled out in another way
    Operation.ADD: torch.add(X, Y),
    Operation.MATMUL: torch.einsum("ik,kj->ij", X, Y),
    Operation.LINEAR: torch.einsum("ik,jk->ij", X, Y) + torch.tensor([100.0, 200.0]),
    Operation.CAT: torch.vstack((X, Y)),
    Operation.WHERE: torch.tensor([[10.0, 20.0], [3.0, 4.0]]),
    Operation.INDEXING: torch.tensor([[3.0, 4.0], [1.0, 2.0]]),
}
ELEMENT_WISE = "Expected all tensors to be on the same device, but found at least two devices"
NAMED = "Expected all tensors to be on the same device, but got {} is on"


@pytest.fixture(autouse=True)
def inline():
    with compute.running_inline():
        yield


# T1


def test_a_tensor_made_without_a_device_is_on_the_cpu():
    report = compute.run(PrintTensor())

    assert report.default_device == "cpu"
    assert report.default_printed == "tensor([1., 2., 3.])"


@pytest.mark.parametrize(
    ("device", "printed"),
    [
        ("cpu", "tensor([1., 2., 3.])"),
        ("cuda:0", "tensor([1., 2., 3.], device='cuda:0')"),
        ("cuda:1", "tensor([1., 2., 3.], device='cuda:1')"),
    ],
)
def test_the_repr_names_a_device_only_off_the_cpu(device, printed):
    report = compute.run(PrintTensor(device=device))

    assert (report.placed_device, report.placed_printed) == (device, printed)
    assert report.actual == (device != "cpu")


# T2


def test_a_tensor_made_on_its_device_never_touches_the_host():
    report = compute.run(CreateTensor(device="cuda:1", way=CreationWay.DIRECT))

    assert (report.y_device, report.tensors_made) == ("cuda:1", 1)
    assert (report.host_bytes, report.copied_bytes) == (0, 0)


def test_a_tensor_made_then_moved_is_made_twice():
    report = compute.run(CreateTensor(device="cuda:1", way=CreationWay.MOVED))

    assert (report.y_device, report.tensors_made) == ("cuda:1", 2)
    assert (report.host_bytes, report.copied_bytes) == (2 * 3 * 4, 2 * 3 * 4)


def test_moving_to_the_cpu_from_the_cpu_makes_nothing():
    report = compute.run(CreateTensor(device="cpu", way=CreationWay.MOVED))

    assert (report.tensors_made, report.copied_bytes) == (1, 0)
    assert [each.label for each in report.scene.residents] == ["x, y"]


@pytest.mark.parametrize("device", DEVICES)
def test_empty_memory_is_counted_and_never_promised(device):
    report = compute.run(AllocateEmpty(device=device, elements=4096))

    assert report.y_device == device
    assert 0 <= report.sevens + report.zeros <= 4096
    assert report.actual in {"sevens", "zeros", "mixture"}
    assert not AllocateEmpty.deterministic


# T3


@in_turn(
    ("method", "target", "arrives"),
    [
        (MoveMethod.TO, "cuda:1", "cuda:1"),
        (MoveMethod.TO, "cpu", "cpu"),
        (MoveMethod.CUDA, "cuda:0", "cuda:0"),
        (MoveMethod.CUDA_INDEX, "cuda:1", "cuda:1"),
        (MoveMethod.CPU, "cuda:0", "cpu"),
    ],
)
@pytest.mark.parametrize("start", DEVICES)
def test_a_move_copies_unless_the_tensor_is_there_already(start, method, target, arrives):
    report = compute.run(MoveTensor(start=start, method=method, target=target))

    assert (report.x_device, report.moved_device) == (start, arrives)
    assert report.is_same_object == (start == arrives)
    assert report.shares_memory == (start == arrives)


@pytest.mark.parametrize(
    ("assignment", "x_device"),
    [
        (Assignment.NEW_NAME, "cpu"),
        (Assignment.SAME_NAME, "cuda:0"),
        (Assignment.NOTHING, "cpu"),
    ],
)
def test_where_x_is_depends_on_what_becomes_of_the_copy(assignment, x_device):
    report = compute.run(MoveTensor(assignment=assignment))

    assert report.actual == x_device
    assert report.scene.resident("x").device == x_device


def test_a_copy_that_nothing_keeps_is_explained():
    assert compute.run(MoveTensor(assignment=Assignment.NOTHING)).why == "copy-is-lost"


def test_a_moved_tensor_that_requires_a_gradient_is_no_leaf():
    report = compute.run(MoveTensor(requires_grad=True))

    assert report.is_leaf is False
    assert report.grad_fn == "ToCopyBackward0"


def test_a_tensor_that_is_there_already_stays_a_leaf():
    report = compute.run(MoveTensor(start="cuda:0", target="cuda:0", requires_grad=True))

    assert report.is_leaf is True
    assert report.grad_fn is None


# T4


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("computation", "value"),
    [
        (Computation.POWER, "[1.0, 4.0, 9.0]"),
        (Computation.COMPARE, "[False, True, True]"),
        (Computation.SUM, "6.0"),
    ],
)
def test_a_result_is_where_its_tensor_is(device, computation, value):
    report = compute.run(ComputeOnDevice(device=device, computation=computation))

    assert (report.y_device, report.value, report.actual) == (device, value, device)


@pytest.mark.parametrize("device", DEVICES)
def test_item_leaves_every_device(device):
    report = compute.run(ComputeOnDevice(device=device, computation=Computation.ITEM))

    assert (report.y_device, report.value, report.actual) == (None, "6.0", "python_number")


# T5


def expected_error(left: str, right: str, operation: Operation) -> str | None:
    """What a GPU answers to two tensors with dimensions, by hand from PyTorch's own texts."""
    if left == right:
        return None
    match operation:
        case Operation.ADD | Operation.WHERE:
            return ELEMENT_WISE
        case Operation.MATMUL:
            return NAMED.format("mat2")
        case Operation.LINEAR:
            return NAMED.format("mat1")
        case Operation.CAT:
            return NAMED.format("tensors")
        case Operation.INDEXING:
            return None if right == "cpu" else "indices should be either on cpu or on the same"


@in_turn("operation", Operation)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_every_pair_of_devices_meets_in_every_operation(left, right, operation):
    report = compute.run(AddAcrossDevices(left=left, right=right, operation=operation))

    error = expected_error(left, right, operation)
    assert report.outcome.ok == (error is None)
    assert report.result_device == (left if error is None else None)
    if error is None:
        assert report.result_values == str(RESULTS[operation].tolist())
    else:
        assert report.outcome.error_type == "RuntimeError"
        assert report.outcome.message.startswith(error)


@in_turn("operation", Operation)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_the_message_names_both_devices(left, right, operation):
    report = compute.run(AddAcrossDevices(left=left, right=right, operation=operation))

    if not report.outcome.ok and operation != Operation.INDEXING:
        assert left in report.outcome.message
        assert right in report.outcome.message


@in_turn("operation", Operation)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_the_offered_fix_really_runs(left, right, operation):
    report = compute.run(AddAcrossDevices(left=left, right=right, operation=operation))

    assert report.is_fixed == (not report.outcome.ok)
    assert report.fixed_device == (None if report.outcome.ok else left)


@in_turn("operation", [Operation.ADD, Operation.WHERE])
@in_turn("zero_dim", [ZeroDim.LEFT, ZeroDim.RIGHT])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_only_a_value_on_the_cpu_may_meet_any_device(left, right, zero_dim, operation):
    settings = AddAcrossDevices(left=left, right=right, operation=operation, zero_dim=zero_dim)
    report = compute.run(settings)

    alone, other = (left, right) if zero_dim == ZeroDim.LEFT else (right, left)
    works = alone in ("cpu", other)
    assert report.outcome.ok == works
    assert report.result_device == (other if works else None)


@pytest.mark.parametrize(
    ("operation", "named"),
    [(Operation.ADD, None), (Operation.MATMUL, "mat2"), (Operation.LINEAR, "mat1")],
)
def test_the_named_argument_is_found_where_there_is_one(operation, named):
    assert compute.run(AddAcrossDevices(operation=operation)).named_argument == named


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"right": "cuda:0"}, "same-place"),
        ({}, "names-devices"),
        ({"operation": Operation.CAT}, "names-argument"),
        ({"operation": Operation.INDEXING}, "index-may-stay"),
        ({"operation": Operation.INDEXING, "right": "cuda:1"}, "index-rule"),
        ({"zero_dim": ZeroDim.RIGHT}, "one-value-may-stay"),
    ],
)
def test_the_reason_fits_the_answer(values, why):
    assert compute.run(AddAcrossDevices(**values)).why == why


def test_a_single_gpu_and_many_are_simulated_alike():
    for gpus in (1, 8):
        machine = Machine(gpus=gpus)
        report = compute.run(AddAcrossDevices(machine=machine, left=f"cuda:{gpus - 1}"))

        assert len(report.scene.devices) == gpus + 1
        assert f"cuda:{gpus - 1}" in report.outcome.message


def assert_says_there_is_no_gpu(outcome: Outcome) -> None:
    """As PyTorch's CPU build says it, or its CUDA build where there is no driver."""
    if torch.version.cuda is None:
        assert outcome.error_type == "AssertionError"
        assert outcome.message == "Torch not compiled with CUDA enabled"
    else:
        assert outcome.error_type == "RuntimeError"
        assert outcome.message.startswith("Found no NVIDIA driver on your system.")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this computer has a GPU")
def test_a_device_that_the_real_machine_lacks_is_refused_in_torchs_words():
    report = compute.run(AddAcrossDevices(machine=REAL))

    assert_says_there_is_no_gpu(report.outcome)
    assert (report.result_device, report.why, report.is_fixed) == (None, "no-such-device", False)


ON_A_GPU = [
    PrintTensor(machine=REAL),
    CreateTensor(machine=REAL),
    AllocateEmpty(machine=REAL, device="cuda:0"),
    MoveTensor(machine=REAL),
    MoveTensor(machine=REAL, method=MoveMethod.CUDA),
    ComputeOnDevice(machine=REAL),
    FixAcrossDevices(machine=REAL),
    ConvertToNumpy(machine=REAL, device="cuda:0"),
    CreateAlike(machine=REAL),
    MoveAndConvert(machine=REAL),
    PinTensor(machine=REAL),
    MeasureTensor(machine=REAL),
    FillMemory(machine=REAL),
]


@pytest.mark.skipif(torch.cuda.is_available(), reason="this computer has a GPU")
@pytest.mark.parametrize("settings", ON_A_GPU, ids=lambda each: type(each).__name__)
def test_every_step_explains_that_there_is_no_gpu(settings):
    report = compute.run(settings)

    assert_says_there_is_no_gpu(report.outcome)
    assert report.why == "no-such-device"
    assert report.told is not None


# T6


@in_turn("operation", Operation)
@in_turn(("left", "right"), PAIRS)
@pytest.mark.parametrize("remedy", Remedy)
def test_every_remedy_works_and_decides_where_the_result_is(left, right, operation, remedy):
    settings = FixAcrossDevices(
        left=left, right=right, operation=operation, remedy=remedy, target="cuda:1"
    )
    report = compute.run(settings)

    place = {Remedy.MOVE_RIGHT: left, Remedy.MOVE_LEFT: right, Remedy.MOVE_BOTH: "cuda:1"}[remedy]
    assert report.outcome.ok
    assert (report.result_device, report.actual) == (place, place)
    assert report.result_values == str(RESULTS[operation].tolist())


@pytest.mark.parametrize(
    ("remedy", "operation", "moved", "copied_bytes"),
    [
        (Remedy.MOVE_RIGHT, Operation.ADD, ("Y",), 4 * 4),
        (Remedy.MOVE_LEFT, Operation.ADD, ("X",), 4 * 4),
        (Remedy.MOVE_BOTH, Operation.ADD, ("X", "Y"), 2 * 4 * 4),
        (Remedy.MOVE_RIGHT, Operation.LINEAR, ("Y", "b"), 4 * 4 + 2 * 4),
        (Remedy.MOVE_RIGHT, Operation.INDEXING, ("Y",), 2 * 8),
    ],
)
def test_a_remedy_copies_what_it_moves(remedy, operation, moved, copied_bytes):
    report = compute.run(FixAcrossDevices(operation=operation, remedy=remedy, target="cuda:1"))

    assert (report.moved, report.copied_bytes) == (moved, copied_bytes)


def test_the_originals_stay_on_the_map_beside_their_copies():
    scene = compute.run(FixAcrossDevices(remedy=Remedy.MOVE_RIGHT)).scene

    places = {each.label: each.device for each in scene.residents}
    assert places == {"X": "cuda:0", "Y": "cpu", "Y′": "cuda:0", "Z": "cuda:0"}
    assert scene.formula == "X + Y′"


def test_nothing_is_copied_where_both_are_already():
    report = compute.run(FixAcrossDevices(left="cuda:1", right="cuda:1"))

    assert (report.moved, report.copied_bytes, report.is_fixed) == ((), 0, False)


# T7


@in_turn("requires_grad", [False, True])
@in_turn("device", DEVICES)
@pytest.mark.parametrize("chain", NumpyChain)
def test_a_chain_works_if_it_leaves_autograd_and_the_gpu(chain, device, requires_grad):
    settings = ConvertToNumpy(device=device, requires_grad=requires_grad, chain=chain)
    report = compute.run(settings)

    reaches_host = device == "cpu" or "cpu" in chain or chain == NumpyChain.FORCE
    leaves_autograd = not requires_grad or "detach" in chain or chain == NumpyChain.FORCE
    if not reaches_host:
        assert report.outcome.error_type == "TypeError"
        assert report.outcome.message == (
            f"can't convert {device} device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )
    elif not leaves_autograd:
        assert report.outcome.error_type == "RuntimeError"
        assert report.outcome.message.startswith("Can't call numpy() on Tensor that requires grad")
    else:
        assert report.outcome.ok
        assert report.names_one_memory == (device == "cpu")


@pytest.mark.parametrize(
    ("edit", "x_values", "array_values", "sees_edit"),
    [
        (Edit.ARRAY, ("100", "2", "3", "4"), ("100", "2", "3", "4"), True),
        (Edit.TENSOR, ("2", "3", "4", "5"), ("2", "3", "4", "5"), True),
        (Edit.REBOUND, ("2", "3", "4", "5"), ("1", "2", "3", "4"), False),
    ],
)
def test_on_the_cpu_an_edit_in_place_shows_on_both_sides(edit, x_values, array_values, sees_edit):
    report = compute.run(ConvertToNumpy(edit=edit))

    assert (report.x_values, report.array_values) == (x_values, array_values)
    assert report.sees_edit == sees_edit
    assert report.still_one_memory == sees_edit


@pytest.mark.parametrize("edit", [Edit.ARRAY, Edit.TENSOR])
def test_from_a_gpu_the_array_is_a_copy(edit):
    report = compute.run(ConvertToNumpy(device="cuda:0", chain=NumpyChain.CPU, edit=edit))

    assert (report.names_one_memory, report.sees_edit, report.why) == (False, False, "two-memories")


# T8


@in_turn("device", DEVICES)
@in_turn("dtype", [DataType.FLOAT64, DataType.FLOAT16, DataType.INT64])
@pytest.mark.parametrize("alike", [Alike.ZEROS_LIKE, Alike.NEW_ZEROS, Alike.NEW_TENSOR])
def test_a_new_tensor_takes_device_and_dtype_from_its_model(device, dtype, alike):
    report = compute.run(CreateAlike(device=device, dtype=dtype, alike=alike))

    assert (report.y_device, report.y_dtype) == (device, dtype)


@pytest.mark.parametrize("alike", [Alike.ZEROS_LIKE, Alike.NEW_ZEROS, Alike.NEW_TENSOR])
@pytest.mark.parametrize(
    ("override", "device", "dtype"),
    [(Override.DTYPE, "cuda:1", "int32"), (Override.DEVICE, "cpu", "float64")],
)
def test_what_is_stated_wins_and_the_rest_is_kept(alike, override, device, dtype):
    report = compute.run(CreateAlike(device="cuda:1", alike=alike, override=override))

    assert (report.y_device, report.y_dtype) == (device, dtype)


def test_a_plain_factory_takes_the_defaults():
    report = compute.run(CreateAlike(alike=Alike.PLAIN))

    assert (report.y_device, report.y_dtype) == ("cpu", "float32")


# T9


@pytest.mark.parametrize(
    ("form", "device", "dtype", "changed"),
    [
        (ToForm.OTHER, "cuda:0", "float16", "both"),
        (ToForm.DEVICE_AND_DTYPE, "cuda:0", "float16", "both"),
        (ToForm.DEVICE_ONLY, "cuda:0", "float32", "device"),
        (ToForm.DTYPE_ONLY, "cpu", "float16", "dtype"),
    ],
)
def test_one_call_changes_what_it_is_told(form, device, dtype, changed):
    report = compute.run(MoveAndConvert(form=form))

    assert (report.y_device, report.y_dtype, report.actual) == (device, dtype, changed)


def test_nothing_to_change_gives_the_same_object():
    report = compute.run(MoveAndConvert(target="cpu", dtype=DataType.FLOAT32))

    assert (report.is_same_object, report.actual) == (True, "neither")


def test_a_smaller_dtype_rounds_the_values():
    report = compute.run(MoveAndConvert(dtype=DataType.INT64))

    assert report.y_values == "[0, 1, 2]"


# T10


def test_a_tensor_on_a_gpu_cannot_be_pinned():
    report = compute.run(PinTensor(device="cuda:0"))

    assert report.outcome.error_type == "RuntimeError"
    assert report.outcome.message == (
        "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"
    )


def test_a_tensor_on_the_cpu_can_be_pinned():
    report = compute.run(PinTensor(device="cpu"))

    assert (report.outcome.ok, report.is_pinned) == (True, True)


def test_no_time_is_taken_from_simulated_devices():
    report = compute.run(MeasureTransfer())

    assert (report.transfers, report.why) == ((), "no-real-gpu")
    assert not MeasureTransfer.deterministic


@pytest.mark.skipif(torch.cuda.is_available(), reason="this computer has a GPU")
def test_no_time_is_taken_where_there_is_no_gpu():
    assert compute.run(MeasureTransfer(machine=REAL)).transfers == ()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_real_gpu_gives_three_times():
    report = compute.run(MeasureTransfer(machine=REAL, mebibytes=16))

    assert [each.kind for each in report.transfers] == list(TransferKind)
    assert all(0 < each.returned_seconds <= each.done_seconds for each in report.transfers)


# T11


@pytest.mark.parametrize(
    ("dtype", "element_bytes"),
    [("float16", 2), ("float32", 4), ("float64", 8), ("int64", 8), ("int8", 1)],
)
def test_bytes_are_elements_times_the_size_of_one(dtype, element_bytes):
    report = compute.run(MeasureTensor(rows=30, columns=7, dtype=DataType(dtype)))

    assert (report.element_bytes, report.size_bytes) == (element_bytes, 30 * 7 * element_bytes)
    assert report.actual in report.answers


@pytest.mark.parametrize("device", DEVICES)
def test_only_the_memory_of_its_own_device_is_used(device):
    report = compute.run(MeasureTensor(device=device, rows=1024, columns=1024))

    used = {each.device: each.used_bytes for each in report.memory}
    assert used == {each: 4 * 2**20 if each == device else 0 for each in DEVICES}


def test_a_device_that_is_full_says_so_with_its_numbers():
    report = compute.run(FillMemory(piece_gib=3.0, pieces=3))

    assert report.fitted == 2
    assert report.outcome.error_type == "OutOfMemoryError"
    for told in ("Tried to allocate 3.00 GiB", "total capacity of 8.00 GiB", "2.00 GiB is free"):
        assert told in report.outcome.message
    own = report.own
    assert (own.used_bytes, own.free_bytes, own.total_bytes) == (6 * 2**30, 2 * 2**30, 8 * 2**30)
    assert report.refused_bytes == 3 * 2**30


def test_what_fits_exactly_fits():
    report = compute.run(FillMemory(piece_gib=2.0, pieces=4))

    assert (report.fitted, report.outcome.ok, report.own.free_bytes) == (4, True, 0)
    assert report.refused_bytes == 0


def test_filling_one_device_leaves_the_other_alone():
    report = compute.run(FillMemory(device="cuda:1", piece_gib=4.0, pieces=1))

    assert [each.used_bytes for each in report.memory] == [0, 0, 4 * 2**30]


def test_simulated_gibibytes_take_no_memory_of_the_host():
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = compute.run(FillMemory(machine=Machine(memory_gib=80.0), piece_gib=8.0, pieces=24))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert report.fitted == 10
    assert (after - before) * 1024 < 64 * 2**20


def test_simulated_memory_is_free_again_afterwards():
    compute.run(FillMemory(piece_gib=4.0, pieces=2))
    report = compute.run(FillMemory(piece_gib=8.0, pieces=1))

    assert report.outcome.ok


# words


SETTINGS = [
    *ON_A_GPU,
    *(PrintTensor(device=device) for device in DEVICES),
    *(CreateTensor(way=way, device=device) for way in CreationWay for device in DEVICES),
    AllocateEmpty(),
    *(MoveTensor(assignment=assignment) for assignment in Assignment),
    MoveTensor(target="cpu"),
    MoveTensor(requires_grad=True),
    *(ComputeOnDevice(computation=computation) for computation in Computation),
    *(AddAcrossDevices(operation=operation) for operation in Operation),
    AddAcrossDevices(right="cuda:0"),
    AddAcrossDevices(zero_dim=ZeroDim.RIGHT),
    AddAcrossDevices(operation=Operation.INDEXING, right="cuda:1"),
    *(FixAcrossDevices(remedy=remedy) for remedy in Remedy),
    FixAcrossDevices(right="cuda:0"),
    *(ConvertToNumpy(edit=edit) for edit in Edit),
    ConvertToNumpy(requires_grad=True),
    ConvertToNumpy(device="cuda:0"),
    ConvertToNumpy(device="cuda:0", chain=NumpyChain.CPU),
    *(CreateAlike(alike=alike) for alike in Alike),
    *(CreateAlike(override=override) for override in Override),
    *(MoveAndConvert(form=form) for form in ToForm),
    MoveAndConvert(target="cpu", dtype=DataType.FLOAT32),
    *(PinTensor(device=device) for device in DEVICES),
    PinTensor(machine=REAL, device="cpu"),
    MeasureTensor(),
    FillMemory(),
    FillMemory(pieces=1),
    FillMemory(device="cpu", pieces=1),
]


@pytest.mark.parametrize("language", catalog.Language)
def test_every_answer_has_its_words(language):
    lesson = catalog.lesson("tensors")
    for settings in SETTINGS:
        report = compute.run(settings)

        assert lesson.whys[report.why].filled(language, **report.mentions)
        assert set(report.told) <= set(lesson.labels)


def placeholders(text):
    return set(re.findall(r"{(\w+)}", text.en))


def test_every_picture_has_a_text_that_can_be_filled():
    alts = catalog.lesson("tensors").alts

    needed = {name: placeholders(text) for name, text in alts.items()}
    assert set(compute.run(AddAcrossDevices()).pictured) == needed["device_map"]
    assert set(compute.run(ConvertToNumpy()).pictured) == needed["shared_memory"]
    assert set(compute.run(MeasureTensor()).pictured) == needed["memory_bars"]
    assert set(compute.run(FillMemory()).pictured) == needed["memory_bars"]


def test_no_word_is_left_over():
    lesson = catalog.lesson("tensors")
    used = {compute.run(settings).why for settings in SETTINGS}
    real_or_rare = {"transfer-measured", "no-real-gpu", "host-refuses", "host-cannot-promise"}

    assert used | real_or_rare == set(lesson.whys)
