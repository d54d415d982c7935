"""Wires: where the inputs of a node come from. Free of torch.

A node without wires is given what comes before it. A wire is short text: ``-`` is what comes
before, ``#1`` the first input of the block around the node, and any other text the name of an
earlier node of that block. Numbers in brackets take an item of a tuple: ``lstm[1][0]``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from playground.errors import InvalidSpecError
from playground.modules.spec import names

BEFORE = "-"
MAX_WIRES = 4
TEXT = re.compile(r"([^\[\]]{1,40})((?:\[-?[0-9]{1,2}\]){0,3})", re.ASCII)
INPUT = re.compile(r"#([1-9])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Wire:
    """One input of a node.

    Args:
        source: ``-``, ``#1`` to ``#4``, or the name of an earlier node of the block.
        items: Indices into a tuple, the outermost first.

    >>> Wire.parse("lstm[1][0]"), str(Wire("lstm", (1, 0)))
    (Wire(source='lstm', items=(1, 0)), 'lstm[1][0]')
    """

    source: str = BEFORE
    items: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: object, *, type: str = "") -> "Wire":
        """Read a wire; the text may come from anywhere.

        Raises:
            InvalidSpecError: It is none.
        """
        found = TEXT.fullmatch(text) if isinstance(text, str) and len(text) <= 60 else None
        if found is None:
            raise InvalidSpecError("spec_wire", type=type, wire=str(text)[:40])
        source, items = found.groups()
        if source != BEFORE and not INPUT.fullmatch(source) and not names.is_child(source):
            raise InvalidSpecError("spec_wire", type=type, wire=source)
        return cls(source, tuple(int(each) for each in re.findall(r"-?[0-9]+", items)))

    @property
    def input_number(self) -> int | None:
        """The number of the block's input, from 1; None if it is no input of the block."""
        found = INPUT.fullmatch(self.source)
        return int(found[1]) if found else None

    def __str__(self) -> str:
        return self.source + "".join(f"[{item}]" for item in self.items)


def wires_of(values: Iterable["Wire | str"], *, type: str) -> tuple[Wire, ...]:
    """Read the wires of a node; a single ``-`` says nothing and is left out.

    Raises:
        InvalidSpecError: One is no wire, or they are too many.
    """
    if isinstance(values, str):
        raise InvalidSpecError("spec_field", type=type, field="inputs")
    wires = tuple(
        each if isinstance(each, Wire) else Wire.parse(each, type=type) for each in values
    )
    if len(wires) > MAX_WIRES:
        raise InvalidSpecError("spec_too_many_wires", type=type, most=MAX_WIRES)
    return () if wires == (Wire(),) else wires
