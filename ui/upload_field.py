"""Translations for Streamlit's file uploader, whose own texts are English only.

CSS puts them over the originals. If Streamlit changes its markup, the originals are visible again.
"""

import json

from streamlit.delta_generator import DeltaGenerator

from ui.language import say

FIELD = '[data-testid="stFileUploaderDropzone"]'
BUTTON = f'{FIELD} [data-testid="stBaseButton-secondary"] p'
INVALID = '[data-testid="stFileChip"][aria-invalid="true"]'
REFUSED = f"{FIELD}:has({INVALID})"
INSPECTED = '[class*="_inspected"]'  # it shows another file than the refused one
LIMIT = f'{FIELD} [data-testid="stFileUploaderDropzoneInstructions"] span'


def translate(place: DeltaGenerator, max_mebibytes: int) -> None:
    """Translate the texts of the file uploader in a container.

    Args:
        place: The container.
        max_mebibytes: The largest file that it takes.
    """
    rules = (
        _replace(BUTTON, say("upload.choose")),
        _replace(LIMIT, say("upload.limit", most=max_mebibytes)),
        _append(REFUSED, say("upload.refused", most=max_mebibytes)),
        f"{INSPECTED}:has({INVALID}) > :not(:has({FIELD})) {{ display: none; }}",
    )
    # an invisible element first: style alone would go to a place that all cards share, and get lost
    place.html(f'<i class="tp-style" hidden></i><style>{"".join(rules)}</style>')


def _replace(selector: str, words: str) -> str:
    """Return rules that replace the text of an element, for screen readers too."""
    quoted = json.dumps(words, ensure_ascii=False)
    return (
        f"{selector} {{ font-size: 0; }}"
        f"{selector}::after {{ content: {quoted}; font-size: .9rem; }}"
    )


def _append(selector: str, words: str) -> str:
    """Return rules that append a text to an element; of a refusal Streamlit shows only a colour."""
    quoted = json.dumps(words, ensure_ascii=False)
    return (
        f"{selector} {{ flex-wrap: wrap; }}"
        f"{selector}::after {{ content: {quoted}; flex-basis: 100%; font-size: .9rem; }}"
    )
