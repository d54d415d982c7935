"""The program in the address: what a link brings, and what the address is to say.

``from`` names a program of a lesson or an exercise, ``code`` holds a text. A text that was not
changed needs only the first.
"""

import streamlit as st

from ui import address
from ui.lab import starts
from ui.lab.desk import Desk
from ui.lab.link import CODE, FROM, from_link, to_link


def arrive(desk: Desk) -> None:
    """Take what a link brings that was followed; a broken one changes nothing and is noted."""
    given = (st.query_params.get(FROM, ""), st.query_params.get(CODE, ""))
    if given in {("", ""), desk.link}:
        return
    start, code = desk.link = given
    source = from_link(code) if code else None
    desk.is_broken_link = bool(code) and source is None
    if start and starts.put(desk, start):
        if source is not None:
            desk.put(source)
    elif source is not None:
        desk.problem = None  # the program is there, if not the one that its step begins with
        desk.open(source)
    else:
        desk.is_broken_link = True


def write(desk: Desk) -> None:
    """Keep the address in step with the text."""
    start = desk.exercise or desk.start
    needs_code = bool(desk.text.strip()) and (not start or desk.is_changed)
    code = to_link(desk.text) if needs_code else ""
    desk.is_too_long_for_link = code is None
    desk.link = (start, code or "")
    address.write(FROM, start, "")
    address.write(CODE, code or "", "")
