"""The HTML of the login page: no script, one form, both languages, light and dark."""

import functools
import html
from pathlib import Path
from urllib.parse import urlencode

from starlette.responses import HTMLResponse

from hosting.words import EN, ZH, say

PATH = "/door"
LEAVE_PATH = "/door/leave"
NOT_INVITED, PROVIDER_AWAY = "login.not-invited", "login.provider-away"
HOME = "/"
MAX_URL_CHARACTERS = 6_000  # a link may hold a whole network or program


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
<form method="post" action="{PATH}?{_query(language, wanted)}">
<label for="code">{_escaped("login.code", language)}</label>
<input id="code" name="code" type="text" required maxlength="200" autofocus autocomplete="off"
 autocapitalize="none" autocorrect="off" spellcheck="false"{described}>
<button>{_escaped("login.enter", language)}</button></form>"""
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
<a class="button" href="{html.escape(sign_in)}">{_escaped(button, language)}</a>"""
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


def safe_url(url: str) -> str:
    """Return a URL of this server, or its first page: nobody is redirected to another host.

    >>> safe_url("/tensors?lang=zh"), safe_url("//elsewhere.example")
    ('/tensors?lang=zh', '/')
    """
    is_ours = url.startswith("/") and not url.startswith(("//", PATH))
    is_plain = "\\" not in url and url.isprintable() and len(url) <= MAX_URL_CHARACTERS
    return url if is_ours and is_plain else HOME


def other_language(language: str) -> str:
    """Return the language that a page offers besides its own."""
    return EN if language == ZH else ZH


def page(language: str, wanted: str, body: str, status: int, *, switch: str = "") -> HTMLResponse:
    """Return a page around a body.

    Args:
        language: Of the page.
        wanted: The URL that the visitor asked for.
        body: HTML.
        status: The HTTP status.
        switch: The URL of the page in the other language; by default the login page.
    """
    other = other_language(language)
    switch = html.escape(switch) if switch else f"{PATH}?{_query(other, wanted)}"
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
    return HTMLResponse(text, status, headers={"cache-control": "no-store"})


def _escaped(name: str, language: str) -> str:
    return html.escape(say(name, language))


def _query(language: str, wanted: str) -> str:
    return html.escape(urlencode({"lang": language, "next": wanted}))


@functools.cache
def _style() -> str:
    return Path(__file__).with_name("login_page.css").read_text("utf-8")
