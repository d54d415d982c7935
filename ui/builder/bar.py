"""The bar over the network: ready-made starts, file, undo and redo."""

import json

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.errors import InvalidSpecError
from playground.modules.spec import Network
from ui import uploader
from ui.builder.bench import Bench
from ui.words import say

MOST_BYTES = 200_000
MOST_MEGABYTES = 1  # that are sent at all
FILE_NAME = "network.json"


def draw(bench: Bench, left: DeltaGenerator) -> None:
    """Draw the bar."""
    key = bench.card.key
    with left.container(horizontal=True, key=key("builder-bar"), gap="xsmall"):
        st.menu_button(
            say("builder.starts"),
            tuple(bench.starts),
            format_func=lambda name: bench.card.start(name),
            key=key("builder-starts"),
            on_click=_start,
            args=(bench,),
        )
        with st.popover(say("builder.file"), key=key("builder-file")):
            _draw_file(bench)
        for name, shortcut, steps, is_on in (
            ("undo", "Alt+Z", -1, bench.desk.can_undo),
            ("redo", "Alt+Y", 1, bench.desk.can_redo),
        ):
            st.button(
                say(f"builder.{name}"),
                icon=f":material/{name}:",
                key=key(f"builder-icon-{name}"),
                help=f"{say(f'builder.{name}')} · {shortcut}",
                shortcut=shortcut,
                disabled=not is_on,
                on_click=bench.go,
                args=(steps,),
            )


def _draw_file(bench: Bench) -> None:
    key = bench.card.key
    st.download_button(
        say("builder.save"),
        json.dumps(json.loads(bench.text), indent=2) + "\n",
        FILE_NAME,
        "application/json",
        on_click="ignore",
        key=key("save"),
        width="stretch",
    )
    st.file_uploader(
        say("builder.load"),
        "json",
        key=key("load"),
        max_upload_size=MOST_MEGABYTES,
        on_change=read_file,
        args=(bench,),
    )
    uploader.say_words(st.container(), MOST_MEGABYTES)


def _start(bench: Bench) -> None:
    name = st.session_state[bench.card.key("builder-starts")]
    if name in bench.starts:
        bench.desk.selected = None
        bench.load(bench.starts[name])


def read_file(bench: Bench) -> None:
    """Load the file that was chosen; a bad one is told about, and the network stays."""
    file = st.session_state[bench.card.key("load")]
    if file is None or file.file_id == bench.desk.file_id:
        return
    bench.desk.file_id = file.file_id
    try:
        network = network_in(file.size, file.getvalue)
    except InvalidSpecError as error:
        bench.refuse(error, "bad-file")
    else:
        bench.desk.selected = None
        bench.load(network)


def network_in(size: int, read: object) -> Network:
    """The network in a file; a file that is too large is not even looked at.

    Raises:
        InvalidSpecError: It is too large, no text, or no network.
    """
    if size > MOST_BYTES:
        raise InvalidSpecError("spec_too_long", given=size, most=MOST_BYTES)
    try:
        text = read().decode("utf-8")  # type: ignore[operator]
    except UnicodeDecodeError:
        raise InvalidSpecError("spec_not_json") from None
    return Network.from_json(text)
