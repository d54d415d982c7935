"""The way from a shown program to the lab, with the visitor's machine: a link, or a switch."""

from typing import TYPE_CHECKING

import streamlit as st

from playground import catalog
from playground.lab.starts import starts
from ui import language, machine_picker, rerun
from ui.address import page_of
from ui.lab.link import CODE, FROM, to_link
from ui.words import say

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

NAME = "lab"
CARRIED = (machine_picker.KIND, machine_picker.GPUS, machine_picker.MEMORY, language.KEY)


def offer(place: "DeltaGenerator", program: str) -> None:
    """Draw the link below a program that no step shows."""
    page, query = catalog.curriculum().planned(NAME), query_of(program)
    if page is None or query is None:
        return
    place.page_link(
        page_of(page),
        label=say("lab.open"),
        icon=page.icon,
        width="content",
        query_params=query,
    )


def go(program: str, start: str) -> None:
    """Switch to the lab, so that one press of Back returns; do nothing where no link holds it.

    Args:
        program: As it is shown.
        start: The lesson and step that show it, e.g. ``"tensors/move"``.
    """
    page, query = catalog.curriculum().planned(NAME), query_of(program, start)
    own = [each for each in starts() if each.id == start]
    if page is None or query is None:
        return
    if own and own[0].program(machine_picker.current()).strip() == program.strip():
        del query[CODE]  # the lab would leave it out, in an address of its own
    rerun.switch_page(page_of(page), query)


def query_of(program: str, start: str = "") -> dict[str, str] | None:
    """The lab's address for a program, with the visitor's machine; None if it is too long."""
    code = to_link(f"{program.rstrip()}\n")
    if code is None:
        return None
    carried = {name: st.query_params[name] for name in CARRIED if name in st.query_params}
    return {**carried, **({FROM: start} if start else {}), CODE: code}
