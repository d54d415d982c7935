"""A network's modules as a Mermaid chart: the whole on the left, what is in it to the right."""

from collections.abc import Sequence
from typing import Protocol

MOST_MODULES = 90
HARMFUL = {'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "`": "#96;", "\\": "#92;"}


class Module(Protocol):
    """One module of a network."""

    @property
    def path(self) -> str:
        """Its path; empty for the network itself."""

    @property
    def type_name(self) -> str:
        """Its class."""

    @property
    def own_parameters(self) -> int | None:
        """How many values its own parameters hold."""

    @property
    def same_as(self) -> str:
        """The path under which it was met before."""


def module_tree(modules: Sequence[Module], most: int = MOST_MODULES) -> str:
    """The chart's text; a shared module is drawn once, with a line from every place it stands in.

    Args:
        modules: Those outside before those inside.
        most: Further modules are left out.
    """
    numbers: dict[str, int] = {}
    lines = ["flowchart LR"]
    for module in modules:
        parent, _, name = module.path.rpartition(".")
        if module.path and parent not in numbers:
            continue
        if module.same_as in numbers and module.same_as:
            lines.append(f'  m{numbers[parent]} -. "{quoted(name)}" .-> m{numbers[module.same_as]}')
            continue
        if len(numbers) >= most:
            continue
        numbers[module.path] = len(numbers)
        lines.append(f"  m{numbers[module.path]}{_box(module)}")
        if module.path:
            lines.append(f'  m{numbers[parent]} -- "{quoted(name)}" --> m{numbers[module.path]}')
    return "\n".join(lines)


def _box(module: Module) -> str:
    label = quoted(module.type_name)
    if module.own_parameters:
        return f'["{label}<br/>{module.own_parameters:,}"]'
    return f'(["{label}"])'


def quoted(text: str) -> str:
    """A text that Mermaid shows as it is.

    >>> quoted('a"<b>')
    'a#quot;#lt;b#gt;'
    """
    return "".join(HARMFUL.get(letter, letter) for letter in text)
