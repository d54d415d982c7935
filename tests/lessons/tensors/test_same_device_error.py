import itertools

import pytest
import torch

from playground.lessons.tensors.same_device_error import (
    Operation,
    SameDeviceError,
    ZeroDim,
    adds_across_devices,
)
from playground.machines import Machine, MachineKind
from playground.steps import Labels
from tests.answers import assert_answer

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


def expected_error(left: str, right: str, operation: Operation) -> str | None:
    """Return a GPU's error for two tensors with dimensions, by hand from PyTorch's texts."""
    if left == right:
        return None
    if operation is Operation.INDEXING:
        return None if right == "cpu" else "indices should be either on cpu or on the same"
    names = {Operation.MATMUL: "mat2", Operation.LINEAR: "mat1", Operation.CAT: "tensors"}
    return NAMED.format(names[operation]) if operation in names else ELEMENT_WISE


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_every_pair_of_devices_meets_in_every_operation(left, right, operation):
    step = SameDeviceError(left=left, right=right, operation=operation)

    error = expected_error(left, right, operation)
    if error is None:
        values = str(RESULTS[operation].tolist())
        assert_answer(step, result_device=left, result_values=values, has_fix=False)
    else:
        answer = assert_answer(step, error="RuntimeError")
        assert answer.outcome.message.startswith(error)
        assert f'Y.to("{left}")' in answer.fix[1]


@pytest.mark.parametrize("operation", [Operation.ADD, Operation.WHERE])
@pytest.mark.parametrize("zero_dim", [ZeroDim.LEFT, ZeroDim.RIGHT])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_only_a_single_value_on_the_cpu_may_stay(left, right, zero_dim, operation):
    step = SameDeviceError(left=left, right=right, operation=operation, zero_dim=zero_dim)
    place = left if zero_dim is ZeroDim.LEFT else right

    assert_answer(step, ok=left == right or place == "cpu")


def test_a_single_value_on_a_gpu_has_an_explanation_of_its_own():
    step = SameDeviceError(left="cuda:0", right="cpu", zero_dim=ZeroDim.LEFT)
    assert_answer(step, explanation="one-value-on-gpu")


def test_a_fixed_program_is_no_addition_across_devices():
    fixed = SameDeviceError(is_fixed=True)
    assert not adds_across_devices(fixed, assert_answer(fixed, ok=True))


def test_of_a_real_machine_only_the_devices_in_use_are_drawn():
    step = SameDeviceError(machine=Machine(kind=MachineKind.REAL), right="cuda:1")

    svg = step.picture(None, Labels({})).svg

    drawn = [name for name in (*DEVICES, "cuda:2") if f"box-{name}" in svg]
    assert drawn == ["cpu", "cuda:0", "cuda:1"]
