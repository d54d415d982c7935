"""The toolbar above the network: ready-made networks, file, undo and redo."""

import json

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.errors import InvalidSpecError
from playground.modules.spec import Network
from ui import upload_field
from ui.builder.editor import NetworkEditor
from ui.language import say

MAX_BYTES = 200_000
MAX_MEBIBYTES = 1  # that are sent at all
FILE_NAME = "network.json"


def draw(editor: NetworkEditor, left: DeltaGenerator) -> None:
    """Draw the toolbar."""
    key = editor.card.key
    with left.container(horizontal=True, key=key("builder-bar"), gap="xsmall"):
        st.menu_button(
            say("builder.starts"),
            tuple(editor.starts),
            format_func=lambda name: editor.card.start(name),
            key=key("builder-starts"),
            on_click=_load_ready_made,
            args=(editor,),
        )
        with st.popover(say("builder.file"), key=key("builder-file")):
            _draw_file(editor)
        for name, shortcut, steps, is_on in (
            ("undo", "Alt+Z", -1, editor.history.can_undo),
            ("redo", "Alt+Y", 1, editor.history.can_redo),
        ):
            st.button(
                say(f"builder.{name}"),
                icon=f":material/{name}:",
                key=key(f"builder-icon-{name}"),
                help=f"{say(f'builder.{name}')} · {shortcut}",
                shortcut=shortcut,
                disabled=not is_on,
                on_click=editor.go,
                args=(steps,),
            )


def _draw_file(editor: NetworkEditor) -> None:
    key = editor.card.key
    st.download_button(
        say("builder.save"),
        json.dumps(json.loads(editor.text), indent=2) + "\n",
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
        max_upload_size=MAX_MEBIBYTES,
        on_change=read_file,
        args=(editor,),
    )
    upload_field.translate(st.container(), MAX_MEBIBYTES)


def _load_ready_made(editor: NetworkEditor) -> None:
    name = st.session_state[editor.card.key("builder-starts")]
    if name in editor.starts:
        editor.history.selected = None
        editor.load(editor.starts[name])


def read_file(editor: NetworkEditor) -> None:
    """Load the chosen file; an invalid one is refused with a sentence."""
    file = st.session_state[editor.card.key("load")]
    if file is None or file.file_id == editor.history.file_id:
        return
    editor.history.file_id = file.file_id
    try:
        network = network_in(file.size, file.getvalue)
    except InvalidSpecError as error:
        editor.refuse(error, "bad-file")
    else:
        editor.history.selected = None
        editor.load(network)


def network_in(size: int, read: object) -> Network:
    """Read the network in a file; a file that is too large is not read.

    Raises:
        InvalidSpecError: It is too large, no text, or no network.
    """
    if size > MAX_BYTES:
        raise InvalidSpecError("spec_too_long", given=size, most=MAX_BYTES)
    try:
        text = read().decode("utf-8")  # type: ignore[operator]
    except UnicodeDecodeError:
        raise InvalidSpecError("spec_not_json") from None
    return Network.from_json(text)
