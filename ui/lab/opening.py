"""The link under a shown program that takes it to the lab, with the visitor's machine."""

from typing import TYPE_CHECKING

import streamlit as st

from playground import catalog
from ui import language, machine_picker
from ui.lab.link import CODE, FROM, to_link
from ui.lesson_header import page_of
from ui.words import say

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

NAME = "lab"
CARRIED = (machine_picker.KIND, machine_picker.GPUS, machine_picker.MEMORY, language.KEY)


def offer(place: "DeltaGenerator", program: str, start: str = "") -> None:
    """Draw the link.

    Args:
        place: Below the program.
        program: As it is shown.
        start: The lesson and step that show it, if one does, e.g. ``"tensors/move"``.
    """
    page, code = catalog.curriculum().planned(NAME), to_link(f"{program.rstrip()}\n")
    if page is None or code is None:
        return
    carried = {name: st.query_params[name] for name in CARRIED if name in st.query_params}
    place.page_link(
        page_of(page),
        label=say("lab.open"),
        icon=page.icon,
        width="content",
        query_params={**carried, **({FROM: start} if start else {}), CODE: code},
    )
