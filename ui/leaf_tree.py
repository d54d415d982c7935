"""A tree of modules in which a press picks a parameter; one thing is kept, the picked name.

Of the tree only the way to the picked parameter is open. A press on a module picks the first
parameter in it, so that every press opens something and nothing has to be closed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.errors import InvalidSettingError
from ui import address
from ui.step import Step

SHEET = Path(__file__).with_name("leaf_tree.css")
MARKED = "\\`*_{}[]()<>#$:~|"
MOST_ROWS = 18  # more scroll in a box of their own
BOX_HEIGHT = 520
IN_PLACE = "<i hidden></i>"  # style alone goes to a place that all cards share, and gets lost there


class Leaf(Protocol):
    """A parameter."""

    @property
    def name(self) -> str:
        """Its name from the root."""

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Its shape, if it has one yet."""


class Branch(Protocol):
    """A module."""

    @property
    def path(self) -> str:
        """Its name from the root; empty for the root."""

    @property
    def type_name(self) -> str:
        """Its class."""

    @property
    def leaves(self) -> Sequence[Leaf]:
        """Its own parameters."""

    @property
    def first(self) -> str:
        """The first parameter inside; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the tree.

    Attributes:
        id: Part of its key.
        leads_to: The parameter that a press picks; empty where there is none.
        name: Of the parameter that the line stands for; empty for a module.
    """

    id: str
    label: str
    depth: int
    leads_to: str
    name: str = ""


def leaf(step: Step, field: str, branches: Sequence[Branch], *, default: str) -> str:
    """The name of a parameter, picked in the tree; another default where there is none such.

    Raises:
        InvalidSettingError: There is no parameter at all.
    """
    names = [each.name for branch in branches for each in branch.leaves]
    if not names:
        raise InvalidSettingError("no_parameters", field="network", given=0)
    start = default if default in names else names[0]
    return step.read(field, start, lambda left: _draw(step, field, left, branches, names, start))


def visible_rows(branches: Sequence[Branch], picked: str) -> list[Row]:
    """What is to be seen: all on the way to what is picked, and what stands beside the way."""
    way = picked.rpartition(".")[0]
    rows: list[Row] = []
    for number, branch in enumerate(branches):
        around = branch.path.rpartition(".")[0]
        if not _is_on(way, around):
            continue
        is_open = _is_on(way, branch.path)
        depth = branch.path.count(".")
        if branch.path:
            label = _branch_label(branch, is_open)
            rows.append(Row(id=f"{number}", label=label, depth=depth, leads_to=branch.first))
        for place, each in enumerate(branch.leaves if is_open else ()):
            rows.append(
                Row(
                    id=f"{number}-{place}",
                    label=_leaf_label(each),
                    depth=depth + bool(branch.path),
                    leads_to=each.name,
                    name=each.name,
                )
            )
    return rows


def _is_on(way: str, path: str) -> bool:
    """Whether a module is on the way; the root always is."""
    return not path or way == path or way.startswith(f"{path}.")


def _draw(
    step: Step,
    field: str,
    left: DeltaGenerator,
    branches: Sequence[Branch],
    names: Sequence[str],
    start: str,
) -> str:
    key = step.key(field)
    address.settle_choice(key, names, start)
    picked = str(st.session_state[key])
    rows = visible_rows(branches, picked)
    rules = [_rule(f"{key}-leaf-{row.id}", row.depth, row.name == picked) for row in rows]
    with left.container(key=f"{key}-leaf-head", gap="xsmall"):
        st.caption(step.label(field))
        is_long = len(rows) > MOST_ROWS
        with st.container(
            key=f"{key}-leaf-tree",
            gap=None,
            height=BOX_HEIGHT if is_long else "content",
            border=False,
        ):
            for row in rows:
                st.button(
                    row.label if row.name != picked else row.label.replace("○", "●", 1),
                    key=f"{key}-leaf-{row.id}",
                    width="stretch",
                    disabled=not row.leads_to,
                    on_click=_pick,
                    args=(step, key, row.leads_to),
                )
            st.html(f"{IN_PLACE}<style>{_sheet()} {' '.join(rules)}</style>")
    address.write(key, picked, start)
    return picked


def _pick(step: Step, key: str, name: str) -> None:
    st.session_state[key] = name
    step.touched()


def _rule(row: str, depth: int, is_picked: bool) -> str:
    colour = " --leaf: var(--tp-accent);" if is_picked else ""
    return f".st-key-{row} {{ padding-left: {depth * 1.1:g}rem;{colour} }}"


def _branch_label(branch: Branch, is_open: bool) -> str:
    mark = ("▾" if is_open else "▸") if branch.first else "·"
    return f":gray[{mark}] {_escaped(branch.path.rpartition('.')[2])} :gray[{branch.type_name}]"


def _leaf_label(each: Leaf) -> str:
    name = _escaped(each.name.rpartition(".")[2])
    shape = "?" if each.shape is None else str(tuple(each.shape))
    return f":gray[○] **{name}** `{shape}`"


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in MARKED else letter for letter in text)


@cache
def _sheet() -> str:
    return SHEET.read_text("utf-8")
