"""The door as a page of its own: no script, one form, both languages, light and dark."""

import functools
import html
from pathlib import Path
from urllib.parse import urlencode

from starlette.responses import HTMLResponse

from hosting.words import EN, ZH, say

DOOR = "/door"
LEAVE = "/door/leave"
NOT_INVITED, PROVIDER_AWAY = "door.not-invited", "door.provider-away"
HOME = "/"
LONGEST_ADDRESS = 6_000  # a link may hold a whole network or program


def ask_for_code(
    language: str, onward: str, *, status: int, trouble: str = "", seconds: int = 0
) -> HTMLResponse:
    """The form that asks for the class code.

    Args:
        language: Of its words.
        onward: The address that the visitor wanted.
        status: Of the answer.
        trouble: The name of what to say about the last try; empty before the first.
        seconds: How long to wait before the next.
    """
    told = say(trouble, language, seconds=seconds) if trouble else ""
    alert = f'<p role="alert" id="trouble">{html.escape(told)}</p>' if told else ""
    described = ' aria-describedby="trouble" aria-invalid="true"' if told else ""
    form = f"""<p>{_said("door.why", language)}</p>{alert}
<form method="post" action="{DOOR}?{_query(language, onward)}">
<label for="code">{_said("door.code", language)}</label>
<input id="code" name="code" type="text" required maxlength="200" autofocus autocomplete="off"
 autocapitalize="none" autocorrect="off" spellcheck="false"{described}>
<button>{_said("door.enter", language)}</button></form>"""
    answer = plain_page(language, onward, form, status)
    if seconds:
        answer.headers["retry-after"] = str(seconds)
    return answer


def ask_to_sign_in(
    language: str, onward: str, *, address: str, status: int, trouble: str = ""
) -> HTMLResponse:
    """The page that leads to the identity provider.

    Args:
        language: Of its words.
        onward: The address that the visitor wanted.
        address: Where signing in begins.
        status: Of the answer.
        trouble: The name of what to say about the last try; empty before the first.
    """
    alert = f'<p role="alert">{_said(trouble, language)}</p>' if trouble else ""
    button = "door.sign-in-other" if trouble == NOT_INVITED else "door.sign-in"
    body = f"""<p>{_said("door.sign-in-why", language)}</p>{alert}
<a class="button" href="{html.escape(address)}">{_said(button, language)}</a>"""
    return plain_page(language, onward, body, status)


def inside(language: str, onward: str, *, sign_out: str = "") -> HTMLResponse:
    """What the door says to a visitor who is in.

    Args:
        language: Of its words.
        onward: The address that the visitor wanted.
        sign_out: Where signing out begins. A link, for it may end at the provider, and to there the
            content security policy lets no form lead. By default the ticket is given back here.
    """
    word = _said("door.leave", language)
    leave = (
        f'<a class="button quiet" href="{html.escape(sign_out)}">{word}</a>'
        if sign_out
        else f'<form method="post" action="{LEAVE}"><button class="quiet">{word}</button></form>'
    )
    body = f"""<p>{_said("door.inside", language)}</p>
<a class="button" href="{html.escape(onward)}">{_said("door.go-on", language)}</a>
{leave}"""
    return plain_page(language, onward, body, 200)


def safe_address(given: str) -> str:
    """An address of this server, or its first page: nobody is sent to another host.

    >>> safe_address("/tensors?lang=zh"), safe_address("//elsewhere.example")
    ('/tensors?lang=zh', '/')
    """
    is_ours = given.startswith("/") and not given.startswith(("//", DOOR))
    is_plain = "\\" not in given and given.isprintable() and len(given) <= LONGEST_ADDRESS
    return given if is_ours and is_plain else HOME


def other_than(language: str) -> str:
    """The language that a page offers besides its own."""
    return EN if language == ZH else ZH


def plain_page(
    language: str, onward: str, body: str, status: int, *, switch: str = ""
) -> HTMLResponse:
    """A page around a body, which is HTML already.

    Args:
        language: Of its words.
        onward: The address that the visitor wanted.
        body: Of the page.
        status: Of the answer.
        switch: Where the page is in the other language; the door's own by default.
    """
    other = other_than(language)
    switch = html.escape(switch) if switch else f"{DOOR}?{_query(other, onward)}"
    title = _said("door.title", language)
    page = f"""<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><link rel="icon" href="data:,">
<style>{_style()}</style></head>
<body><main><h1>{title}</h1>
{body}
<p><a href="{switch}" lang="{other}">{_said("door.other-language", language)}</a></p>
</main></body></html>"""
    return HTMLResponse(page, status, headers={"cache-control": "no-store"})


def _said(name: str, language: str) -> str:
    return html.escape(say(name, language))


def _query(language: str, onward: str) -> str:
    return html.escape(urlencode({"lang": language, "next": onward}))


@functools.cache
def _style() -> str:
    return Path(__file__).with_name("page.css").read_text("utf-8")
