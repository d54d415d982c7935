"""Makes a network with its sizes and without, from one seed, and writes down who draws when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch.utils._python_dispatch import TorchDispatchMode

from playground.compute.outcome import Outcome
from playground.lessons.lazy_layers.experiment.answering import tried
from playground.lessons.lazy_layers.records import (
    Compared,
    CompareSeeds,
    CompareSeedsReport,
    Draw,
    Recipe,
)
from playground.modules.build import build, draw_inputs
from playground.modules.build.assemble import assembled
from playground.modules.spec import Block, Network, Node


def compare_seeds(settings: CompareSeeds) -> CompareSeedsReport:
    """Make both, feed both, and compare what random numbers went into.

    Raises:
        InvalidSpecError: The network cannot be made, or is too large.
    """
    eager = _run(settings.eager, settings)
    lazy = _run(settings.lazy, settings)
    drawn = {each.what for each in eager.draws}
    others = dict(lazy.net.named_parameters())
    compared: tuple[Compared, ...] = ()
    if lazy.outcome.ok:
        compared = tuple(
            Compared(
                name=name,
                shape=tuple(value.shape),
                is_equal=torch.equal(value, others[name]),
            )
            for name, value in eager.net.named_parameters()
            if name in drawn
        )
    return CompareSeedsReport(
        outcome=lazy.outcome,
        recipe=settings.recipe,
        compared=compared,
        eager=tuple(eager.draws),
        lazy=tuple(lazy.draws),
    )


@dataclass(frozen=True, slots=True)
class _Run:
    net: nn.Module
    draws: Sequence[Draw]
    outcome: Outcome


def _run(network: Network, settings: CompareSeeds) -> _Run:
    build(network)  # refuses what is too large, before any of it takes memory
    batch = draw_inputs(network.input)
    watch = _Watch()
    torch.manual_seed(settings.seed)
    with watch:
        make = _backwards if settings.recipe is Recipe.BACKWARDS else assembled
        net = make(network.block)
        if settings.recipe is Recipe.BATCH:
            batch = draw_inputs(network.input)
            watch.name_last("X", len(batch))
        watch.in_forward = True
        _, outcome = tried(lambda: net(*batch))
    return _Run(net, watch.draws(net), outcome)


def _backwards(block: Node) -> nn.Module:
    """The same network, its last layer made first."""
    assert isinstance(block, Block)
    made = [assembled(child) for child in reversed(block.children)]
    return nn.Sequential(*reversed(made))


@dataclass(slots=True)
class _Drawn:
    tensor: Tensor  # kept, so that nothing else comes to stand in its place
    operation: str
    in_forward: bool
    name: str = ""


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types there
    """Sees every operation that torch itself marks as drawing from a generator."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.in_forward = False
        self.seen: list[_Drawn] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run it, and note what came of it."""
        del types
        result = func(*args, **(kwargs or {}))
        if torch.Tag.nondeterministic_seeded in func.tags and isinstance(result, Tensor):
            name = func._schema.name.partition("::")[2].rstrip("_")
            self.seen.append(_Drawn(result, name, self.in_forward))
        return result

    def name_last(self, name: str, count: int) -> None:
        """Say what the last draws were for."""
        for each in self.seen[-count:]:
            each.name = name

    def draws(self, net: nn.Module) -> list[Draw]:
        """What was drawn, by the names that the network has for it."""
        named = net.named_parameters()
        names = {each.data_ptr(): name for name, each in named if not is_lazy(each)}
        return [
            Draw(
                what=each.name or names.get(each.tensor.data_ptr(), each.operation),
                numbers=each.tensor.numel(),
                in_forward=each.in_forward,
            )
            for each in self.seen
        ]
