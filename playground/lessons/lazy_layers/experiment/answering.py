"""Torch's answers as plain values, without places in memory."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from torch import nn

from playground.compute.outcome import Outcome, attempt
from playground.lessons.lazy_layers.records import Answer, without_addresses

T = TypeVar("T")
MOST_TEXT = 400
MOST_BRIEF = 56


def tried(action: Callable[[], T]) -> tuple[T | None, Outcome]:
    """Like ``attempt``; a message that names a place in memory does not name it."""
    value, outcome = attempt(action)
    return value, replace(outcome, message=without_addresses(outcome.message))


def asked(action: Callable[[], object], show: Callable[[object], str] = repr) -> Answer:
    """What torch says, and what of it can be shown."""
    value, outcome = tried(action)
    text = without_addresses(show(value))[:MOST_TEXT] if outcome.ok else ""
    return Answer(outcome=outcome, text=text)


def brief(value: object) -> str:
    """A value as Python shows it, of many numbers only the beginning."""
    line = " ".join(repr(value).split())
    return line if len(line) <= MOST_BRIEF else f"{line[: MOST_BRIEF - 1]}…"


def small_net() -> nn.Sequential:
    """The lesson's own network, without its shapes."""
    return nn.Sequential(nn.LazyLinear(256), nn.ReLU(), nn.LazyLinear(10))
