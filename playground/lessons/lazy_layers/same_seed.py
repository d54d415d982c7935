"""Step on one seed for two networks, with sizes and lazy: the order of the random draws."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from playground.steps import Answer, Labels, Picture, Run, Step, Words

WIDTH, TOP, ROW, BOX = 440, 30, 44, 150


class First(StrEnum):
    """The first layer of the second network; the value is its code."""

    LAZY = "nn.LazyLinear(256)"
    EAGER = "nn.Linear(20, 256)"


class Last(StrEnum):
    """The last layer of the second network; the value is its code."""

    LAZY = "nn.LazyLinear(10)"
    EAGER = "nn.Linear(256, 10)"


class Between(StrEnum):
    """The layer between both layers; the value is its code."""

    RELU = "nn.ReLU()"
    DROPOUT = "nn.Dropout(0.5)"


class Batch(StrEnum):
    """The input; the value is its code."""

    ONES = "torch.ones(2, 20)"
    RANDOM = "torch.rand(2, 20)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Plain data of the picture: the random draws in order, and the weights that agree."""

    eager: tuple[str, ...]
    lazy: tuple[str, ...]
    equal: tuple[str, ...]


class SameSeed(Step):
    """Create one network with sizes and one lazy network from one seed, and compare."""

    first: First = First.LAZY
    last: Last = Last.LAZY
    between: Between = Between.RELU
    batch: Batch = Batch.ONES

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn
            {w.folded}
            torch.manual_seed(0)
            eager = nn.Sequential(
                nn.Linear(20, 256), {self.between}, nn.Linear(256, 10))
            eager({w.batch})
            torch.manual_seed(0)
            lazy = nn.Sequential(
                {w.first}, {w.between}, {w.last})
            lazy({self.batch})
            for p, q in zip(eager.parameters(), lazy.parameters()):
                print(torch.equal(p, q)){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        equal = run["torch"].equal
        layers = (
            (each, run["eager"][i], run["lazy"][i]) for each, i in (("first", 0), ("last", 2))
        )
        agree = tuple(name for name, a, b in layers if equal(a.weight, b.weight))
        draws = Draws(eager=self.eager_order, lazy=self.lazy_order, equal=agree)
        return Answer(
            prediction=("none_equal", "some_equal", "all_equal")[len(agree)],
            explanation=self.explanation(),
            data=draws,
        )

    @property
    def random_batch(self) -> tuple[str, ...]:
        """The batch, if it is drawn."""
        return ("batch",) if self.batch is Batch.RANDOM else ()

    @property
    def mask(self) -> tuple[str, ...]:
        """The mask of dropout, if there is one."""
        return ("mask",) if self.between is Between.DROPOUT else ()

    @property
    def eager_order(self) -> tuple[str, ...]:
        """Draws of the network with sizes: layers at their creation, then the forward pass."""
        return "first", "last", *self.random_batch, *self.mask

    @property
    def lazy_order(self) -> tuple[str, ...]:
        """Draws of the lazy network: a lazy layer draws when the batch reaches it."""
        is_lazy = {"first": self.first is First.LAZY, "last": self.last is Last.LAZY}
        made = [name for name, waits in is_lazy.items() if not waits]
        reached = [*(["first"] if is_lazy["first"] else []), *self.mask]
        reached += ["last"] if is_lazy["last"] else []
        return *made, *self.random_batch, *reached

    def explanation(self) -> str:
        orders = [
            [name for name in order if name in ("first", "last")]
            for order in (self.eager_order, self.lazy_order)
        ]
        if orders[0] != orders[1]:
            return "order-differs"
        is_any_lazy = self.first is First.LAZY or self.last is Last.LAZY
        if self.random_batch and is_any_lazy:
            return "batch-came-first"
        if self.mask and self.last is Last.LAZY:
            return "mask-came-between"
        return "same-order" if is_any_lazy else "nothing-lazy"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        return draw(answer.data, labels) if answer else None


def draw(draws: Draws, labels: Labels) -> Picture:
    """Draw both orders as columns, with a line between the two places of each draw."""
    columns = (draws.eager, draws.lazy)
    lefts = (2, WIDTH - BOX - 2)
    parts = [
        _text(left + BOX / 2, 16, labels[label], "--tp-ink", weight=650)
        for left, label in zip(lefts, ("with_sizes", "made_lazy"), strict=True)
    ]
    for name in draws.eager:
        ends = [TOP + ROW * order.index(name) + 16 for order in columns]
        colour = _colour(name, draws)
        parts.append(
            f'<path d="M{lefts[0] + BOX} {ends[0]}L{lefts[1]} {ends[1]}" stroke-width="2"'
            f' style="stroke:var({colour})"/>'
        )
    for left, order in zip(lefts, columns, strict=True):
        for place, name in enumerate(order):
            y, colour = TOP + ROW * place, _colour(name, draws)
            parts.append(
                f'<rect x="{left}" y="{y}" width="{BOX}" height="32" rx="7" stroke-width="1.6"'
                f' style="fill:color-mix(in srgb,var({colour}) 12%,transparent);'
                f'stroke:var({colour})"/>'
            )
            parts.append(_text(left + BOX / 2, y + 21, labels[name], "--tp-ink"))
    height = TOP + ROW * len(draws.eager)
    svg = f'<svg viewBox="0 0 {WIDTH} {height}">{"".join(parts)}</svg>'
    orders = {
        name: _said(order, labels) for name, order in (("eager", draws.eager), ("lazy", draws.lazy))
    }
    return Picture(svg, {f"{name}_order": words for name, words in orders.items()})


def _colour(name: str, draws: Draws) -> str:
    if name not in ("first", "last"):
        return "--tp-muted"
    return "--tp-success" if name in draws.equal else "--tp-trouble"


def _said(order: Sequence[str], labels: Labels) -> str:
    return " → ".join(labels[name] for name in order)


def _text(x: float, y: float, words: str, colour: str, *, weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" text-anchor="middle"'
        f' font-weight="{weight}" style="fill:var({colour})">{html.escape(words)}</text>'
    )


def some_agree(step: SameSeed, answer: Answer) -> bool:
    """Return whether some weights agree with those of the network with sizes, and others differ."""
    del step
    return answer.prediction == "some_equal"
