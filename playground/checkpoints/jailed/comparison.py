"""Compares a checkpoint with a network, and loads it with ``strict`` on and off."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from playground.checkpoints import save
from playground.checkpoints.inspect.results import display_text
from playground.checkpoints.jailed.json_values import distance, first_elements, take_within
from playground.checkpoints.keys import Fit, KeyRow, Shape, compare_keys, count_keys
from playground.checkpoints.load_results import Attempt, Cast, Comparison, Output
from playground.errors import Outcome, attempt
from playground.modules.build import build, draw_inputs
from playground.modules.spec import Network

OUTPUT_ELEMENTS = 16  # elements of an output
MAX_ROWS_BYTES = 60_000  # bytes of JSON for the rows
MAX_MESSAGE_CHARACTERS = 4_000  # characters of torch's message


@dataclass(frozen=True, slots=True)
class Prepared:
    """A fresh network that has met its input; then lazy layers have shapes."""

    net: nn.Module
    inputs: tuple[Tensor, ...]
    output: Output


def compare(network: Network, state: Mapping[str, object], seed: int) -> Comparison:
    """Build the network, compare names and shapes, load the state in both ways.

    Args:
        network: The spec, with its inputs.
        state: A dict out of the file.
        seed: Of torch's generator, for the network and then for its input.

    Raises:
        CheckpointTooLargeError: The network is larger than any file here.
        InvalidSpecError: The network cannot be built.
    """
    save.check_buildable(network)
    prepared = _prepared(network, seed)
    rows = compare_keys(_shapes(prepared.net.state_dict()), _shapes_in_file(state))
    differing = sorted(rows, key=lambda row: row.fit is Fit.FITS)  # stable: else as they are
    before = prepared.output
    strict = _attempted(prepared, state, strict=True)
    del prepared  # two such networks at once may be too much
    prepared = _prepared(network, seed)
    lenient = _attempted(prepared, state, strict=False)
    return Comparison(
        part="",
        counts=count_keys(rows),
        rows=tuple(take_within(MAX_ROWS_BYTES, map(_presentable, differing))),
        before=before,
        strict=strict,
        lenient=lenient,
        casts=_casts(prepared.net, state),
    )


def _prepared(network: Network, seed: int) -> Prepared:
    net = build(network, seed).eval()
    inputs = draw_inputs(network.input)
    return Prepared(net, inputs, _output(net, inputs))


def _attempted(prepared: Prepared, state: Mapping[str, object], *, strict: bool) -> Attempt:
    given: Any = state
    _, outcome = attempt(lambda: prepared.net.load_state_dict(given, strict=strict))
    return Attempt(
        outcome=_bounded(outcome),
        loaded=sum(1 for _ in _loaded(prepared.net, state)),
        output=_output(prepared.net, prepared.inputs),
    )


def _loaded(net: nn.Module, state: Mapping[str, object]) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield each tensor of a network that now has the values of the file's, and the file's."""
    for name, mine in net.state_dict().items():
        given = state.get(name)
        if isinstance(mine, Tensor) and isinstance(given, Tensor) and _holds(mine, given):
            yield mine, given


def _casts(net: nn.Module, state: Mapping[str, object]) -> tuple[Cast, ...]:
    """Say what a load has converted, by the data types before and after."""
    found: dict[tuple[str, str], Cast] = {}
    for mine, given in _loaded(net, state):
        if mine.dtype == given.dtype:
            continue
        dtypes = _dtype(given), _dtype(mine)
        lost, so_far = distance(given, mine), found.get(dtypes) or Cast(*dtypes)
        found[dtypes] = replace(
            so_far,
            tensors=so_far.tensors + 1,
            numbers=so_far.numbers + mine.numel(),
            rounded=so_far.rounded + lost.changed,
            infinite=so_far.infinite + lost.not_finite[1] - lost.not_finite[0],
            largest_error=max(so_far.largest_error, lost.maximum or 0.0),
        )
    return tuple(found.values())


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _output(net: nn.Module, inputs: tuple[Tensor, ...]) -> Output:
    with torch.no_grad():
        result, outcome = attempt(lambda: net(*inputs))
    raise_if_memory(outcome)
    first = next(save.tensors_in(result), None)
    if first is None:
        return Output(outcome=_bounded(outcome))
    return Output(
        outcome=outcome,
        shape=tuple(first.shape),
        values=first_elements(first.detach(), OUTPUT_ELEMENTS),
    )


def _bounded(outcome: Outcome) -> Outcome:
    message = outcome.message
    if len(message) > MAX_MESSAGE_CHARACTERS:
        message = message[: MAX_MESSAGE_CHARACTERS - 1] + "…"
    return Outcome(ok=outcome.ok, error_type=outcome.error_type, message=message)


def _shapes(state: Mapping[str, object]) -> dict[str, Shape | None]:
    return {
        name: None if is_lazy(each) else tuple(each.shape)
        for name, each in state.items()
        if isinstance(each, Tensor)
    }


def _shapes_in_file(state: Mapping[str, object]) -> dict[str, Shape | None]:
    return {
        str(name): tuple(each.shape) if isinstance(each, Tensor) else None
        for name, each in state.items()
    }


def _holds(mine: Tensor, given: Tensor) -> bool:
    """Return whether a tensor now has the values of another, cast as a load casts them."""
    if is_lazy(mine) or mine.shape != given.shape:
        return False
    cast = given.to(mine.dtype)
    if bool(mine.eq(cast).all()):
        return True
    return bool((mine.eq(cast) | (mine.isnan() & cast.isnan())).all())


def _presentable(row: KeyRow) -> KeyRow:
    return KeyRow(display_text(row.name), row.fit, row.in_network, row.in_file)


ALLOCATOR = "DefaultCPUAllocator"


def raise_if_memory(outcome: Outcome) -> None:
    """Turn a refusal that is about memory back into an error.

    Raises:
        MemoryError: The refusal was one, or torch's allocator in its own words.
    """
    if outcome.error_type == "MemoryError" or ALLOCATOR in outcome.message:
        raise MemoryError(outcome.message)
