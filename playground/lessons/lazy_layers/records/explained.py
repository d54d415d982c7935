"""What all reports of this lesson share: torch's answer, the facts, the reason, the tables."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings, check_within
from playground.modules.spec.starts import MLP

Cell = str | int | float | bool | None
Table = tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]  # label ids, rows
Told = Mapping[str, Cell]
Shape = tuple[int, ...]
Bounds = Mapping[str, Mapping[str, int]]  # least and most, by field

ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]+")  # and not the 20x256 of a shape
SEEDS = {"least": 0, "most": 9999}
DEFAULT = MLP  # Linear(20, 256), ReLU, Linear(256, 10); its layers are made lazy
OWN = DEFAULT.to_json()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What torch says to one question or action.

    Attributes:
        text: The value, as Python shows it; empty where torch refused.
    """

    outcome: Outcome
    text: str = ""

    @property
    def short(self) -> str:
        """The value, or the type of the error."""
        return self.text if self.outcome.ok else f"✗ {self.outcome.error_type}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(ABC):
    """A report that can explain itself."""

    outcome: Outcome

    @property
    @abstractmethod
    def told(self) -> Told:
        """What may be told, by label id; None where there is nothing."""

    @property
    @abstractmethod
    def why(self) -> str:
        """The id of the explanation that fits."""

    @property
    def facts(self) -> Told:
        """The facts that there are."""
        return {name: value for name, value in self.told.items() if value is not None}

    @property
    def mentions(self) -> Told:
        """What the explanation may mention."""
        return self.told

    @property
    def actual(self) -> Outcome | str | bool | int:
        """What the prediction was about."""
        return self.outcome

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The answers to choose from, where they depend on the settings."""
        return None

    @property
    def printed(self) -> str:
        """What the program printed."""
        return ""

    @property
    def is_drawn(self) -> bool:
        """There is something to draw."""
        return True

    @property
    def in_full(self) -> str:
        """Torch's words that a table has no room for."""
        return ""

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The tables of the step.

        Args:
            words: The lesson's labels.
        """
        del words
        return ()

    @property
    def pictured(self) -> Told:
        """What a text that stands in for the picture mentions."""
        return {name: "—" if value is None else value for name, value in self.mentions.items()}


def asked_fields(kind: type[Settings[Any]]) -> Iterator[tuple[str, Any]]:
    """The fields that a student is asked for, with their defaults."""
    for field in fields(cast("Any", kind)):
        if field.name not in {"machine", "network"}:
            yield field.name, field.default


def check_bounds(settings: Any) -> None:
    """Refuse numbers outside the bounds that their class names."""
    for field, bounds in settings.BOUNDS.items():
        check_within(field, getattr(settings, field), **bounds)


def without_addresses(text: str) -> str:
    """Torch's words without places in memory, which differ from run to run.

    >>> without_addresses("<function normal_ at 0x7f00aa10>")
    '<function normal_ at 0x…>'
    """
    return ADDRESS.sub("0x…", text)


def answers_in_full(answers: Mapping[str, Answer]) -> str:
    """Every different error, with the names of what it was the answer to."""
    named: dict[str, list[str]] = {}
    for name, answer in answers.items():
        if not answer.outcome.ok:
            told = f"{answer.outcome.error_type}: {answer.outcome.message}"
            named.setdefault(told, []).append(name)
    return "\n\n".join(f"{', '.join(names)}\n{told}" for told, names in named.items())


def cut(text: str, most: int) -> str:
    """A text in one line, for a table.

    >>> cut("LazyLinear(in_features=0)", 12)
    'LazyLinear(…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def is_own(network: str) -> bool:
    """Whether it is the lesson's network, and not a student's."""
    return network == OWN
