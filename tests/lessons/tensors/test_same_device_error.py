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
from tests.answers import answer_once

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


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_every_pair_of_devices_meets_in_every_operation(left, right, operation):
    answer = answer_once(SameDeviceError(left=left, right=right, operation=operation))

    error = expected_error(left, right, operation)
    if error is None:
        assert answer.facts["result_device"] == left
        assert answer.facts["result_values"] == str(RESULTS[operation].tolist())
        assert answer.fix is None
    else:
        assert answer.outcome.error_type == "RuntimeError"
        assert answer.outcome.message.startswith(error)
        assert answer.fix is not None
        assert f'Y.to("{left}")' in answer.fix[1]


@pytest.mark.parametrize("operation", [Operation.ADD, Operation.WHERE])
@pytest.mark.parametrize("zero_dim", [ZeroDim.LEFT, ZeroDim.RIGHT])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_only_a_single_value_on_the_cpu_may_stay(left, right, zero_dim, operation):
    step = SameDeviceError(left=left, right=right, operation=operation, zero_dim=zero_dim)
    answer = answer_once(step)

    place = left if zero_dim is ZeroDim.LEFT else right
    assert answer.outcome.ok == (left == right or place == "cpu")


def test_a_single_value_on_a_gpu_has_an_explanation_of_its_own():
    step = SameDeviceError(left="cuda:0", right="cpu", zero_dim=ZeroDim.LEFT)

    assert answer_once(step).explanation == "one-value-on-gpu"


def test_a_fixed_program_is_no_addition_across_devices():
    fixed = SameDeviceError(is_fixed=True)

    assert answer_once(fixed).outcome.ok
    assert not adds_across_devices(fixed, answer_once(fixed))


def test_of_a_real_machine_only_the_devices_in_use_are_drawn():
    step = SameDeviceError(machine=Machine(kind=MachineKind.REAL), right="cuda:1")

    svg = step.picture(None, Labels({})).svg

    assert [name for name in ("cpu", "cuda:0", "cuda:1", "cuda:2") if f"box-{name}" in svg] == [
        "cpu",
        "cuda:0",
        "cuda:1",
    ]
