"""The visitor's language, and the interface's own texts in it.

The language is the browser's until another one is chosen, and is kept in the URL as ``lang``. The
texts are in ``words.toml``; a missing one raises, there is no fallback. Streamlit's file uploader
has English texts only: CSS puts ours over them. If its markup changes, its own are visible again.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st
import tomli
from streamlit.delta_generator import DeltaGenerator

from playground.catalog import Language, Text
from playground.units import format_bytes
from ui.url_state import write_parameter

KEY = "lang"  # in the URL and in the session
NAMES = {Language.EN: "English", Language.ZH: "中文"}
COLONS = {Language.EN: ": ", Language.ZH: "："}
FILE = Path(__file__).with_name("words.toml")
BYTES = re.compile(r"\b(\d+) bytes?\b")  # as ``units.format_bytes`` writes them
# CSS selectors of Streamlit's file uploader
UPLOADER = '[data-testid="stFileUploaderDropzone"]'
UPLOAD_BUTTON = f'{UPLOADER} [data-testid="stBaseButton-secondary"] p'
INVALID_FILE = '[data-testid="stFileChip"][aria-invalid="true"]'
REFUSED_FILE = f"{UPLOADER}:has({INVALID_FILE})"
INSPECTED_FILE = '[class*="_inspected"]'  # it shows another file than the refused one
UPLOAD_LIMIT = f'{UPLOADER} [data-testid="stFileUploaderDropzoneInstructions"] span'


def browser_language() -> Language:
    """Return the language that the browser asks for; English unless it is a kind of Chinese."""
    return Language.ZH if (st.context.locale or "").lower().startswith("zh") else Language.EN


def current_language() -> Language:
    """Return the language of this run."""
    return Language(st.session_state.get(KEY) or browser_language())


def restore_language() -> Language:
    """Read the language from the URL on the first run; write it back when it was chosen."""
    if KEY not in st.session_state:
        asked = st.query_params.get(KEY)
        st.session_state[KEY] = asked if asked in set(Language) else browser_language()
        if asked == st.session_state[KEY]:
            return current_language()  # a new address would take a press of Back of its own
    chosen = current_language()
    write_parameter(KEY, chosen, browser_language())
    return chosen


def draw_picker(label: str) -> None:
    """Draw the switch; each language is written in itself."""
    st.segmented_control(
        label, tuple(Language), format_func=NAMES.__getitem__, key=KEY, required=True
    )


@cache
def table() -> Mapping[str, Text]:
    """Read every text of the interface, by ``section.id``."""
    sections = tomli.loads(FILE.read_text("utf-8"))
    return {
        f"{section}.{name}": Text(en=text["en"], zh=text["zh"])
        for section, texts in sections.items()
        for name, text in texts.items()
    }


def localize_sizes(text: str, language: Language) -> str:
    """Return a text with its sizes in bytes in a language.

    >>> localize_sizes("24 bytes of 1.50 KiB", Language.ZH)
    '24 字节 of 1.50 KiB'
    """
    return BYTES.sub(r"\1 字节", text) if language is Language.ZH else text


def size(count_bytes: int) -> str:
    """Format a size in the visitor's language."""
    return localize_sizes(format_bytes(count_bytes), current_language())


def say(name: str, /, **values: object) -> str:
    """Return the text ``section.id`` in the visitor's language, its placeholders filled in."""
    return table()[name].filled(current_language(), **values)


def translate_uploader(place: DeltaGenerator, max_mebibytes: int) -> None:
    """Translate the texts of the file uploader in a container.

    Args:
        place: The container.
        max_mebibytes: The largest file that it takes.
    """
    rules = (
        _css_replacing(UPLOAD_BUTTON, say("upload.choose")),
        _css_replacing(UPLOAD_LIMIT, say("upload.limit", most=max_mebibytes)),
        _css_appending(REFUSED_FILE, say("upload.refused", most=max_mebibytes)),
        f"{INSPECTED_FILE}:has({INVALID_FILE}) > :not(:has({UPLOADER})) {{ display: none; }}",
    )
    # an invisible element first: style alone would go to a place that all cards share, and get lost
    place.html(f'<i class="tp-style" hidden></i><style>{"".join(rules)}</style>')


def _css_replacing(selector: str, words: str) -> str:
    """Return CSS rules that replace the text of an element, for screen readers too."""
    quoted = json.dumps(words, ensure_ascii=False)
    return (
        f"{selector} {{ font-size: 0; }}"
        f"{selector}::after {{ content: {quoted}; font-size: .9rem; }}"
    )


def _css_appending(selector: str, words: str) -> str:
    """Return CSS rules that append a text; of a refusal, Streamlit shows only a colour."""
    quoted = json.dumps(words, ensure_ascii=False)
    return (
        f"{selector} {{ flex-wrap: wrap; }}"
        f"{selector}::after {{ content: {quoted}; flex-basis: 100%; font-size: .9rem; }}"
    )
