"""How a limit says no: a page for who wants to see one, a sentence for the others."""

import html

from starlette.responses import HTMLResponse, PlainTextResponse

from hosting.gate.page import other_than, plain_page
from hosting.words import say

NOT_KEPT = {"cache-control": "no-store"}


def full_page(name: str, language: str, onward: str, *, most: int, seconds: int) -> HTMLResponse:
    """What is shown where no further page can be opened.

    Args:
        name: Of the sentence, below ``limits``.
        language: The visitor's.
        onward: The address that was asked for.
        most: How many pages may be open.
        seconds: When to try again.
    """
    told = html.escape(say(f"limits.{name}", language, most=most))
    again = html.escape(say("limits.try-again", language))
    body = f"""<p role="alert">{told}</p>
<a class="button" href="{html.escape(onward)}">{again}</a>"""
    switch = _in_language(onward, other_than(language))
    answer = plain_page(language, onward, body, 503, switch=switch)
    answer.headers["retry-after"] = str(seconds)
    return answer


def _in_language(address: str, language: str) -> str:
    """The same address in another language.

    >>> _in_language("/tensors?lang=en&step=moving", "zh")
    '/tensors?step=moving&lang=zh'
    """
    path, _, query = address.partition("?")
    others = [pair for pair in query.split("&") if pair and not pair.startswith("lang=")]
    return f"{path}?{'&'.join([*others, f'lang={language}'])}"


def sentence(
    name: str, language: str, *, status: int, seconds: int = 0, **values: object
) -> PlainTextResponse:
    """A refusal that is one sentence.

    Args:
        name: Of the sentence, below ``limits``.
        language: The visitor's.
        status: Of the answer.
        seconds: When to try again; 0 where that is not known.
        values: What the sentence mentions.
    """
    again = {"retry-after": str(seconds)} if seconds else {}
    said = say(f"limits.{name}", language, seconds=seconds, **values)
    return PlainTextResponse(said, status, {**NOT_KEPT, **again})
