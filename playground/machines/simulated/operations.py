"""What happens at each ATen operation: the devices are compared, and the result gets its place.

This is the level at which CUDA itself checks. Everything passes here once autograd has had its
turn: the inside of losses and layers, optimizers, and every step of a backward pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._C import DisableTorchFunction
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from playground.machines.simulated import promises, same_device
from playground.machines.simulated.active import this_thread
from playground.machines.simulated.host import SimulatedHost, of_the_device
from playground.machines.simulated.only_floats import ONLY_FLOATS, check_kernel
from playground.machines.simulated.placement import PLACED_BY_HAND, PlacedByHand
from playground.machines.simulated.random_state import draw
from playground.machines.simulated.size import LARGE, growth, result_bytes
from playground.machines.simulated.tag import ATTRIBUTE, CPU, index_of, storage_of

UNTOUCHED = {"empty", "empty_strided", "empty_like", "new_empty", "zeros", "new_zeros"}
MIXED = -2
NOWHERE = -3


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of an operation before its arguments are.

    Attributes:
        by_hand: Looks after the devices itself.
        is_composite: Is made of others; it arrives whole only in inference mode.
        creates: Returns new memory; views and in-place operations do not.
        draws: Draws random numbers.
        touches: Fills its memory; what only asks for it costs this computer nothing.
        uses: Reads or writes the memory of its arguments; a view does not.
        only_floats: The CUDA kernel that has no version for integers, if there is one.
    """

    by_hand: PlacedByHand | None
    is_composite: bool
    creates: bool
    draws: bool
    touches: bool
    uses: bool
    only_floats: str | None


_plans: dict[int, Plan] = {}  # by identity: operations live forever, and their hash is slow


def plan_of(operation: OpOverload) -> Plan:
    """Read an operation's schema, once."""
    schema = operation._schema
    creates = any(value.alias_info is None for value in schema.returns) or "lift" in schema.name
    touches = schema.name.removeprefix("aten::") not in UNTOUCHED
    writes = any(each.alias_info and each.alias_info.is_write for each in schema.arguments)
    plan = Plan(
        by_hand=PLACED_BY_HAND.get(operation),
        is_composite=torch._C._dispatch_has_kernel_for_dispatch_key(
            operation.name(),  # type: ignore[no-untyped-call]
            "CompositeImplicitAutograd",
        ),
        creates=creates,
        draws=torch.Tag.nondeterministic_seeded in operation.tags,
        touches=touches,
        uses=writes or (creates and touches),
        only_floats=ONLY_FLOATS.get(operation.overloadpacket),
    )
    _plans[id(operation)] = plan
    return plan


class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Runs each operation on the CPU and keeps account of where its tensors live."""

    def __init__(self, host: SimulatedHost) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.host = host

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Spare the wrapper that would keep torch.compile out: it costs 5 µs per operation."""
        return False

    def __torch_dispatch__(
        self,
        operation: OpOverload,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Compare the devices, compute, place the result."""
        del types
        kwargs = kwargs or {}
        host = self.host
        if this_thread.host is not host:
            return operation(*args, **kwargs)
        plan = _plans.get(id(operation)) or plan_of(operation)
        if plan.is_composite:
            with self:
                return operation.decompose(*args, **kwargs)
        with DisableTorchFunction():
            if plan.by_hand is not None:
                return plan.by_hand(host, operation, args, kwargs)
            index, size = _result_place(host, operation, args, kwargs)
            host.last_index = index
            if index == CPU:
                return operation(*args, **kwargs)
            if plan.creates and (size >= LARGE or size * growth(args) >= LARGE):
                host.require(index, result_bytes(operation, args, kwargs), plan.touches)
            if host.has_promised and plan.uses:
                zeros = promises.keep(operation, args, kwargs)
                if zeros is not None:
                    return zeros
            result = _carried_out(host, plan, index, operation, args, kwargs)
            if plan.only_floats is not None:
                check_kernel(plan.only_floats, result)
            if plan.creates:
                _place(host, result, index)
        return result


def _carried_out(
    host: SimulatedHost,
    plan: Plan,
    index: int,
    operation: OpOverload,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    """Compute on the CPU; what is asked for and does not fit there is promised."""
    try:
        if plan.draws:
            return draw(host, index, operation, args, kwargs)
        return operation(*args, **kwargs)
    except RuntimeError as error:
        refusal = of_the_device(error)
        made = None
        if refusal is not error and not plan.touches:
            made = promises.promised(host, operation, args, kwargs)
        if made is None:
            raise refusal from None
        return made


def _result_place(
    host: SimulatedHost, operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[int, int]:
    """Decide where the result will live; also tell how many elements go in."""
    index, size = _meeting_place(args, kwargs)
    if index == MIXED:
        index = same_device.judge(operation, args, kwargs)
        host.met_scalar = True
    if host.target is not None:
        index = host.target
    elif index == NOWHERE:
        index = _surroundings(host)
    return index, size


def _meeting_place(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[int, int]:
    """Find the one device of all tensors that go in, and how many elements they have."""
    found: int | None = None
    size = 0
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, Tensor):
            index = index_of(value)
            size += value.numel()
            if index != found:
                if found is not None:
                    return MIXED, LARGE
                found = index
        elif isinstance(value, list | tuple):
            for part in value:
                if isinstance(part, Tensor):
                    index = index_of(part)
                    size += part.numel()
                    if index != found:
                        if found is not None:
                            return MIXED, LARGE
                        found = index
    return (NOWHERE, LARGE) if found is None else (found, size)


def _surroundings(host: SimulatedHost) -> int:
    """Tell where a factory without a device creates: it depends on who calls it.

    Called by the program, on the CPU. Called inside a C++ function, as ``one_hot``, or inside a
    formula of a backward pass, next to the tensors it is made for: C++ passes their options on.
    """
    if host.call is not None:
        return _first_place(*host.call)
    return host.last_index if torch._C._current_graph_task_id() >= 0 else CPU


def _first_place(args: Sequence[Any], kwargs: dict[str, Any]) -> int:
    """Where a C++ function makes its result: beside the first of its tensors."""
    index = _meeting_place(args, kwargs)[0]
    if index != MIXED:
        return max(index, CPU)
    for value in (*args, *kwargs.values()):
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, Tensor):
                return index_of(part)
    return CPU


def _place(host: SimulatedHost, result: Any, index: int) -> None:
    if isinstance(result, Tensor):
        storage = storage_of(result)
        if getattr(storage, ATTRIBUTE, None) is None and not result.is_meta:
            host.place(storage, index)
    elif isinstance(result, list | tuple):
        for part in result:
            _place(host, part, index)
