"""The words inside Streamlit's field for a file, in the visitor's language.

Streamlit says them in English only. They are put over its own by style; were its markup another
one day, its own words would be there again.
"""

import json

from streamlit.delta_generator import DeltaGenerator

from ui.words import say

FIELD = '[data-testid="stFileUploaderDropzone"]'
BUTTON = f'{FIELD} [data-testid="stBaseButton-secondary"] p'
INVALID = '[data-testid="stFileChip"][aria-invalid="true"]'
REFUSED = f"{FIELD}:has({INVALID})"
INSPECTED = '[class*="_inspected"]'  # what is there is about another file than the refused one
LIMIT = f'{FIELD} [data-testid="stFileUploaderDropzoneInstructions"] span'


def say_words(place: DeltaGenerator, most: int) -> None:
    """Put the words over Streamlit's.

    Args:
        place: Where the field is.
        most: Megabytes that a file may have.
    """
    rules = (
        _instead(BUTTON, say("upload.choose")),
        _instead(LIMIT, say("upload.limit", most=most)),
        _below(REFUSED, say("upload.refused", most=most)),
        f"{INSPECTED}:has({INVALID}) > :not(:has({FIELD})) {{ display: none; }}",
    )
    # what cannot be seen goes first: style alone is put where all cards share a place, and lost
    place.html(f'<i class="tp-style" hidden></i><style>{"".join(rules)}</style>')


def _instead(selector: str, words: str) -> str:
    """Rules that show other words than an element has; a screen reader reads them, too."""
    quoted = json.dumps(words, ensure_ascii=False)
    return (
        f"{selector} {{ visibility: hidden; font-size: 0; }}"
        f"{selector}::after {{ content: {quoted}; visibility: visible; font-size: .9rem; }}"
    )


def _below(selector: str, words: str) -> str:
    """Rules that show words below what an element has; of a refusal Streamlit shows a colour."""
    quoted = json.dumps(words, ensure_ascii=False)
    return (
        f"{selector} {{ flex-wrap: wrap; }}"
        f"{selector}::after {{ content: {quoted}; flex-basis: 100%; font-size: .9rem; }}"
    )
