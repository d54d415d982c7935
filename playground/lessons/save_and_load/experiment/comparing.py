"""A file's keys beside a network's, and what ``load_state_dict`` makes of them."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from playground.checkpoints import keys
from playground.checkpoints.save import check_buildable
from playground.compute.outcome import Outcome, attempt
from playground.lessons.save_and_load.experiment.scratch import scratch_folder
from playground.lessons.save_and_load.records import CompareKeys, CompareKeysReport
from playground.lessons.save_and_load.records.networks import has_lazy
from playground.modules.build import build, draw_inputs
from playground.modules.spec import Network

FILE = "net.params"
State = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class _Try:
    """A network after a load, its shapes before, and what came of the load."""

    net: nn.Module
    shapes: keys.Shapes
    returned: str
    outcome: Outcome


def compare_keys(settings: CompareKeys) -> CompareKeysReport:
    """Save one network, load the file into the other: with strict on, and with strict off.

    Raises:
        CheckpointTooLargeError: The parameters would fill too large a file.
    """
    for network in (settings.saved, settings.given):
        check_buildable(network)
    with scratch_folder():
        state, outcome = attempt(lambda: _saved(settings.saved))
    if state is None:
        return _refused(settings, outcome)
    tries = {strict: _load(settings.given, state, strict=strict) for strict in (True, False)}
    tried = tries[settings.is_strict]
    own = tried.net.state_dict()
    rows = keys.compare_keys(tried.shapes, _shapes(state))
    return CompareKeysReport(
        outcome=tried.outcome,
        is_strict=settings.is_strict,
        returned=tried.returned,
        strict=tries[True].outcome,
        unstrict=tries[False].outcome,
        rows=rows,
        taken=tuple(name for name in own if name in state and _equal(own[name], state[name])),
    )


def made(network: Network, seed: int) -> nn.Module:
    """A network; one with lazy layers has been called once."""
    net = build(network, seed)
    if has_lazy(network):
        net(*draw_inputs(network.input))
    return net


def _saved(network: Network) -> State:
    torch.save(made(network, seed=0).state_dict(), FILE)
    state: State = torch.load(FILE)
    return state


def _load(network: Network, state: State, *, strict: bool) -> _Try:
    net = build(network, seed=1)
    shapes = _shapes(net.state_dict())
    result: Any
    result, outcome = attempt(lambda: net.load_state_dict(state, strict=strict))
    return _Try(net, shapes, str(result) if outcome.ok else "", outcome)


def _refused(settings: CompareKeys, outcome: Outcome) -> CompareKeysReport:
    return CompareKeysReport(
        outcome=outcome,
        is_strict=settings.is_strict,
        returned="",
        strict=outcome,
        unstrict=outcome,
        rows=(),
        taken=(),
    )


def _shapes(state: State) -> keys.Shapes:
    """None where a lazy layer has still to find one."""
    return {name: None if is_lazy(each) else tuple(each.shape) for name, each in state.items()}


def _equal(own: Tensor, given: Tensor) -> bool:
    return not is_lazy(own) and torch.equal(own, given)
