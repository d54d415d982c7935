"""Links for a class to a program of the lab or to a network, with or without its answer.

The answer of a program is what PyTorch makes of it: it is run when the link is opened. That of a
network is its shapes, parameters and errors, which otherwise wait until the student asks for them.
"""

from urllib.parse import parse_qs, urlencode, urlsplit

import streamlit as st

from playground.errors import InvalidSpecError
from playground.lab.examples import examples
from playground.lab.exercises import exercises
from playground.modules.spec.starts import STARTS
from ui import machine_picker, url_state
from ui.builder.page import START, TASK
from ui.builder.state import linked_network
from ui.lab.url_state import CODE, FROM, from_link
from ui.language import say
from ui.teacher import join
from ui.url_state import NETWORK

ADDRESS, REVEAL = "program-links-address", "program-links-reveal"
MAX_CHARACTERS = 10_000
MAX_PARAMETERS = 40
KEPT = {  # the page, and what of its address makes the link
    "lab": (FROM, CODE, machine_picker.KIND, machine_picker.GPUS, machine_picker.MEMORY),
    "builder": (START, NETWORK, TASK),
}


class NoProgramError(Exception):
    """An address leads to no program of the lab and to no network."""


def draw() -> None:
    """Draw the field for an address, and the link that is made of it."""
    with st.container(key="program-links", border=True):
        given = st.text_input(
            say("teacher.links-own"),
            key=ADDRESS,
            max_chars=MAX_CHARACTERS,
            placeholder=say("teacher.links-own-paste"),
        )
        is_revealed = st.checkbox(
            say("teacher.links-reveal"), key=REVEAL, help=say("teacher.links-reveal-help")
        )
        if not given:
            return
        try:
            url = link(given, is_revealed=is_revealed)
        except NoProgramError:
            st.warning(say("teacher.links-own-none"))
        else:
            st.code(url, language=None, wrap_lines=True)


def link(address: str, *, is_revealed: bool) -> str:
    """Return the URL that students open.

    Args:
        address: Of the lab or the builder, as the browser shows it, or as "Copy link" gives it.
        is_revealed: Show the answer at once.

    Raises:
        NoProgramError: The address leads to no program and to no network.
    """
    try:
        parts = urlsplit(address.strip())
        parameters = parse_qs(parts.query, max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise NoProgramError from None
    page = parts.path.rstrip("/").rpartition("/")[2]
    given = {name: parameters[name][0] for name in KEPT.get(page, ()) if name in parameters}
    if not (_is_program(given) if page == "lab" else _is_network(given)):
        raise NoProgramError
    if page == "lab" and is_revealed:
        given[url_state.ANSWER] = url_state.ANSWER_SHOWN
    if page == "builder" and not is_revealed:
        given[url_state.ANSWER] = url_state.ANSWER_HIDDEN
    return f"{join.address() or join.own_origin()}/{page}?{urlencode(given)}"


def _is_program(given: dict[str, str]) -> bool:
    if CODE in given:
        return from_link(given[CODE]) is not None
    known = [*(each.id for each in examples()), *(id for each in exercises() for id in each.ids)]
    return given.get(FROM) in known


def _is_network(given: dict[str, str]) -> bool:
    if NETWORK not in given:
        return given.get(START) in STARTS
    try:
        linked_network(given[NETWORK])
    except InvalidSpecError:
        return False
    return True
