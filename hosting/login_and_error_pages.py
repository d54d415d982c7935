"""Login pages, error pages and rejections of the gate and the limits, and their sentences.

A page has no script and one form; it is in both languages, light and dark. The sentences are in
words.toml, the style in login_and_error_pages.css.
"""

import functools
import html
from pathlib import Path
from urllib.parse import urlencode

import tomli
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import Receive, Send

from hosting import settings
from hosting.requests import EN, HOME, LEAVE_PATH, LOGIN_PATH, ZH

WORDS = Path(__file__).with_name("words.toml")
STYLE = Path(__file__).with_suffix(".css")
NOT_INVITED, PROVIDER_AWAY = "login.not-invited", "login.provider-away"
POLICY_VIOLATION = 1008  # WebSocket close code
NO_STORE = {"cache-control": "no-store"}


@functools.cache
def table() -> dict[str, dict[str, dict[str, str]]]:
    """Return all sentences, by section, name and language."""
    read: dict[str, dict[str, dict[str, str]]] = tomli.loads(WORDS.read_text("utf-8"))
    return read


def say(name: str, language: str, **values: object) -> str:
    """Return a sentence.

    >>> say("login.enter", "en")
    'Enter'
    """
    section, _, key = name.partition(".")
    return table()[section][key][language].format(**values)


# -- login pages -----------------------------------------------------------------------------------


def ask_for_code(
    language: str, wanted: str, *, status: int, problem: str = "", seconds: int = 0
) -> HTMLResponse:
    """Return the form that asks for the class code.

    Args:
        language: Of the page.
        wanted: The URL that the visitor asked for.
        status: The HTTP status.
        problem: The name of the sentence about the last attempt; empty before the first.
        seconds: How long to wait before the next attempt.
    """
    sentence = say(problem, language, seconds=seconds) if problem else ""
    alert = f'<p role="alert" id="trouble">{html.escape(sentence)}</p>' if sentence else ""
    described = ' aria-describedby="trouble" aria-invalid="true"' if sentence else ""
    form = f"""<p>{_escaped("login.why", language)}</p>{alert}
<form method="post" action="{LOGIN_PATH}?{_query(language, wanted)}">
<label for="code">{_escaped("login.code", language)}</label>
<input id="code" name="code" type="text" required maxlength="200" autofocus autocomplete="off"
 autocapitalize="none" autocorrect="off" spellcheck="false"{described}>
<button>{_escaped("login.enter", language)}</button></form>
{_kept("code", language)}"""
    answer = page(language, wanted, form, status)
    if seconds:
        answer.headers["retry-after"] = str(seconds)
    return answer


def ask_to_sign_in(
    language: str, wanted: str, *, sign_in: str, status: int, problem: str = ""
) -> HTMLResponse:
    """Return the page with the link to the identity provider.

    Args:
        language: Of the page.
        wanted: The URL that the visitor asked for.
        sign_in: The URL where signing in begins.
        status: The HTTP status.
        problem: The name of the sentence about the last attempt; empty before the first.
    """
    alert = f'<p role="alert">{_escaped(problem, language)}</p>' if problem else ""
    button = "login.sign-in-other" if problem == NOT_INVITED else "login.sign-in"
    body = f"""<p>{_escaped("login.sign-in-why", language)}</p>{alert}
<a class="button" href="{html.escape(sign_in)}">{_escaped(button, language)}</a>
{_kept("oidc", language)}"""
    return page(language, wanted, body, status)


def signed_in(language: str, wanted: str, *, sign_out: str = "") -> HTMLResponse:
    """Return the page for a visitor who is signed in: continue, or leave.

    Args:
        language: Of the page.
        wanted: The URL that the visitor asked for.
        sign_out: The URL where signing out begins. A link, since it may redirect to the provider,
            and the content security policy allows no form to do that. By default, a form deletes
            the session cookie.
    """
    word = _escaped("login.leave", language)
    leave = f'''<form method="post" action="{LEAVE_PATH}">
<button class="quiet">{word}</button></form>'''
    if sign_out:
        leave = f'<a class="button quiet" href="{html.escape(sign_out)}">{word}</a>'
    body = f"""<p>{_escaped("login.inside", language)}</p>
<a class="button" href="{html.escape(wanted)}">{_escaped("login.go-on", language)}</a>
{leave}"""
    return page(language, wanted, body, 200)


def page(language: str, wanted: str, body: str, status: int, *, switch: str = "") -> HTMLResponse:
    """Return a page around a body.

    Args:
        language: Of the page.
        wanted: The URL that the visitor asked for.
        body: HTML.
        status: The HTTP status.
        switch: The URL of the page in the other language; by default the login page.
    """
    other = _other(language)
    switch = html.escape(switch) if switch else f"{LOGIN_PATH}?{_query(other, wanted)}"
    title = _escaped("login.title", language)
    text = f"""<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><link rel="icon" href="data:,">
<style>{_style()}</style></head>
<body><main><h1>{title}</h1>
{body}
<p><a href="{switch}" lang="{other}">{_escaped("login.other-language", language)}</a></p>
</main></body></html>"""
    return HTMLResponse(text, status, headers=NO_STORE)


def _kept(gate: str, language: str) -> str:
    """Say what the server keeps of a student, and for how long."""
    days = settings.current().keep_days
    until = f" {html.escape(say('login.kept-days', language, days=days))}" if days else ""
    return f'<p class="kept">{_escaped(f"login.kept-{gate}", language)}{until}</p>'


def _escaped(name: str, language: str) -> str:
    return html.escape(say(name, language))


def _query(language: str, wanted: str) -> str:
    return html.escape(urlencode({"lang": language, "next": wanted}))


@functools.cache
def _style() -> str:
    return STYLE.read_text("utf-8")


def _other(language: str) -> str:
    return EN if language == ZH else ZH


# -- rejections ------------------------------------------------------------------------------------


def unauthorized(language: str) -> PlainTextResponse:
    """Return the answer of a closed gate to everything but a page."""
    return PlainTextResponse(say("login.closed", language), 401, NO_STORE)


async def reject_websocket(receive: Receive, send: Send) -> None:
    """Close a WebSocket before it is open; the client sees status 403."""
    await receive()
    await send({"type": "websocket.close", "code": POLICY_VIOLATION})


def full_page(name: str, language: str, wanted: str, *, most: int, seconds: int) -> HTMLResponse:
    """Return the page that is shown if no further page can be opened.

    Args:
        name: Of the sentence, below ``limits``.
        language: Of the page.
        wanted: The URL that the visitor asked for.
        most: How many pages may be open.
        seconds: When to try again.
    """
    sentence = html.escape(say(f"limits.{name}", language, most=most))
    again = html.escape(say("limits.try-again", language))
    body = f"""<p role="alert">{sentence}</p>
<a class="button" href="{html.escape(wanted)}">{again}</a>"""
    switch = _in_language(wanted, _other(language))
    answer = page(language, wanted, body, 503, switch=switch)
    answer.headers["retry-after"] = str(seconds)
    return answer


def unknown_page(language: str) -> HTMLResponse:
    """Return the page for an address that no page has."""
    sentence, go_on = (_escaped(name, language) for name in ("pages.unknown", "login.go-on"))
    body = f"""<p>{sentence}</p>
<a class="button" href="{_in_language(HOME, language)}">{go_on}</a>"""
    return page(language, HOME, body, 404, switch=_in_language(HOME, _other(language)))


def plain_sentence(
    name: str, language: str, *, status: int, seconds: int = 0, **values: object
) -> PlainTextResponse:
    """Return a rejection of one sentence.

    Args:
        name: Of the sentence, below ``limits``.
        language: Of the sentence.
        status: The HTTP status.
        seconds: When to try again; 0 if that is not known.
        values: The placeholders of the sentence.
    """
    again = {"retry-after": str(seconds)} if seconds else {}
    text = say(f"limits.{name}", language, seconds=seconds, **values)
    return PlainTextResponse(text, status, {**NO_STORE, **again})


def _in_language(url: str, language: str) -> str:
    """Return the same URL in another language.

    >>> _in_language("/tensors?lang=en&step=moving", "zh")
    '/tensors?step=moving&lang=zh'
    """
    path, _, query = url.partition("?")
    others = [pair for pair in query.split("&") if pair and not pair.startswith("lang=")]
    return f"{path}?{'&'.join([*others, f'lang={language}'])}"
