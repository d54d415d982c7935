"""The lab's URL: ``from`` names an example or an exercise, ``code`` holds a program.

A text that was not changed needs only ``from``. A program is compressed into ``code``; the text of
a link may come from anywhere.
"""

import base64
import binascii
import re
import zlib
from urllib.parse import urlencode

import streamlit as st

from hosting.framework_internals import streamlit_session
from playground import catalog
from playground.lab.examples import examples as all_examples
from playground.sandbox.limits import LIMITS
from ui import language, machine_picker, navigation, url_state
from ui.lab import examples
from ui.lab.session import NO_LINK, LabSession
from ui.navigation import page_of

FROM, CODE = "from", "code"  # in the URL: the id of an example, and a program
MAX_LINK_CHARACTERS = 4000  # browsers and servers take URLs of this length
MAX_BYTES = 4 * LIMITS.source_characters  # no letter takes more than four
NAME = "lab"  # of the page
KEPT = (machine_picker.KIND, machine_picker.GPUS, machine_picker.MEMORY, language.KEY)
ALPHABET = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def to_link(source: str) -> str | None:
    """Compress a program into characters that a URL takes unescaped.

    Returns:
        None if it is too long for a link.

    >>> from_link(to_link("print('你好')"))
    "print('你好')"
    """
    if len(source) > LIMITS.source_characters:
        return None
    packed = zlib.compress(source.encode("utf-8", "replace"), level=9)
    text = base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    return text if len(text) <= MAX_LINK_CHARACTERS else None


def from_link(text: str) -> str | None:
    """Decode a text of ``to_link``; no more is decompressed than a program may have.

    Returns:
        None if the text is damaged, or the program too long.

    >>> from_link("AAAA") is None
    True
    """
    if len(text) > MAX_LINK_CHARACTERS or not ALPHABET.fullmatch(text):
        return None
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacking = zlib.decompressobj()
        source = unpacking.decompress(packed, MAX_BYTES).decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        return None
    is_whole = unpacking.eof and not unpacking.unused_data
    if not is_whole or len(source) > LIMITS.source_characters or "\0" in source:
        return None
    return source


def read_url(lab: LabSession) -> bool:
    """Load the program of a link that was followed; a broken link changes nothing.

    A request has the URL that the browser had when it was sent. Where the visitor types and presses
    a button at once, that is the URL before the text was written into it, and no link.

    Returns:
        Whether the link says that the program is to be run.
    """
    is_to_run = st.query_params.pop(url_state.ANSWER, "") == url_state.ANSWER_SHOWN
    given = (st.query_params.get(FROM, ""), st.query_params.get(CODE, ""))
    is_arrival, lab.arrival = lab.arrival != navigation.arrivals(), navigation.arrivals()
    is_known = given == lab.link or (given in lab.links and not is_arrival)
    if given == NO_LINK or is_known:
        return False
    start, code = lab.link = given
    source = from_link(code) if code else None
    lab.is_broken_link = bool(code) and source is None
    if start and examples.put(lab, start):
        if source is not None:
            lab.put(source)
    elif source is not None:
        lab.problem = None  # the link's program is there, even if its example is not
        lab.open(source)
    else:
        lab.is_broken_link = True
    return is_to_run and not (lab.is_broken_link or lab.problem)


def write_url(lab: LabSession) -> None:
    """Write the text into the URL."""
    start = lab.exercise or lab.start
    needs_code = bool(lab.text.strip()) and (not start or lab.is_changed)
    code = to_link(lab.text) if needs_code else ""
    lab.is_too_long_for_link = code is None
    lab.link = (start, code or "")
    url_state.write_parameter(FROM, start, "")
    url_state.write_parameter(CODE, code or "", "")


def query(lab: LabSession) -> str:
    """Return the query of a link to the program and its machine; empty if there can be none."""
    if lab.is_too_long_for_link:
        return ""
    shown = {FROM: lab.link[0], CODE: lab.link[1]}
    kept = {name: st.query_params[name] for name in KEPT if name in st.query_params}
    return "?" + urlencode(kept | {name: value for name, value in shown.items() if value})


def open_lab(program: str, start: str) -> None:
    """Switch to the lab with a program; do nothing if it is too long for a link.

    Args:
        program: The program that is shown.
        start: Its lesson and step, e.g. ``"tensors/move"``.
    """
    page, query = catalog.curriculum().planned(NAME), query_of(program, start)
    own = [each for each in all_examples() if each.id == start]
    if page is None or query is None:
        return
    if own and own[0].program(machine_picker.current()).strip() == program.strip():
        del query[CODE]  # as the lab's own URL has none then
    streamlit_session.switch_page(page_of(page), query)


def query_of(program: str, start: str = "") -> dict[str, str] | None:
    """Return the lab's URL parameters for a program; None if it is too long."""
    code = to_link(f"{program.rstrip()}\n")
    if code is None:
        return None
    carried = {name: st.query_params[name] for name in KEPT if name in st.query_params}
    return {**carried, **({FROM: start} if start else {}), CODE: code}
