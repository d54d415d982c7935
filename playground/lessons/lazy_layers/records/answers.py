"""What several reports of this lesson share: torch's answers to questions, and its words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.modules.spec.starts import MLP

Shape = tuple[int, ...]

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
