"""The gate of a class code: ASGI middleware that asks for the code before everything else.

Wrong codes are limited by address, and a class often shares one. Addresses with a valid session
cookie therefore have a higher limit of their own: nobody elsewhere can use it up, and one student
who guesses does not lock the others out. New visitors are limited by address as well.
"""

import asyncio
import hashlib
import hmac
import math
import time
import unicodedata
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hosting.cookies import STUDENT, TEACHER, SessionCookies
from hosting.limits import MAX_KEYS, RateLimiter
from hosting.login_and_error_pages import ask_for_code, reject_websocket, signed_in, unauthorized
from hosting.logs_and_metrics import Rejected, count_rejection
from hosting.requests import (
    LEAVE_PATH,
    LOGIN_PATH,
    READ_METHODS,
    VISITOR_KEY,
    Visitor,
    client_address,
    is_public,
    language_of,
    next_url,
    requested_url,
    wants_page,
)
from hosting.settings import Settings

KNOWN_FACTOR = 10  # times as many wrong codes from an address with a valid cookie
TOTAL_FACTOR = 10  # times as many new visitors from all addresses as from one
MAX_FORM_BYTES = 4_096
FORM_TIMEOUT_SECONDS = 10.0


class ClassCodeGate:
    """Passes on requests with a valid session cookie; the others get the login page.

    Args:
        app: The application behind the gate.
        settings: The codes, and the limits of attempts.
        secret: Signs the session cookies.
        clock: The time for the limits, in seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        secret: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._codes = {STUDENT: settings.class_code, TEACHER: settings.teacher_code}
        self._cookies = SessionCookies(settings, secret)
        each, total = settings.code_tries, settings.code_tries_in_all
        self._wrong = RateLimiter(each=each, total=total, clock=clock)
        self._wrong_of_known = RateLimiter(
            each=each * KNOWN_FACTOR, total=total * KNOWN_FACTOR, clock=clock
        )
        self._known: dict[str, None] = {}  # addresses with a valid cookie, the latest last
        each = settings.visitors_per_minute
        self._new = RateLimiter(each=each, total=each * TOTAL_FACTOR, clock=clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        who = self._cookies.visitor(HTTPConnection(scope).cookies)
        if who is not None:
            self._note_known(client_address(scope))
        if scope["type"] == "http" and scope["path"] in (LOGIN_PATH, LEAVE_PATH):
            answer = await self._answer_login(scope, receive, who)
            await answer(scope, receive, send)
        elif who is not None:
            await self._app({**scope, VISITOR_KEY: who}, receive, send)
        elif is_public(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            count_rejection(Rejected.STRANGER)
            await reject_websocket(receive, send)
        else:
            count_rejection(Rejected.STRANGER)
            await _reject(scope)(scope, receive, send)

    async def _answer_login(self, scope: Scope, receive: Receive, who: Visitor | None) -> Response:
        language, wanted = language_of(scope), next_url(scope)
        if scope["path"] == LEAVE_PATH and scope["method"] == "POST":
            answer: Response = RedirectResponse(LOGIN_PATH, 303)
            self._cookies.delete(answer)
            return answer
        if scope["path"] == LOGIN_PATH and scope["method"] == "POST":
            return await self._check_code(scope, receive, language, wanted)
        if scope["method"] not in READ_METHODS:
            return PlainTextResponse("", 405)
        if who is not None:
            return signed_in(language, wanted)
        return ask_for_code(language, wanted, status=200)

    async def _check_code(
        self, scope: Scope, receive: Receive, language: str, wanted: str
    ) -> Response:
        """Check a code, unless too many wrong ones came before it."""
        address = client_address(scope)
        fields = await _read_form(receive)
        if fields is None:
            return ask_for_code(language, wanted, status=400)
        wrong = self._wrong_of_known if address in self._known else self._wrong
        wait = wrong.wait(address)
        if wait:
            count_rejection(Rejected.CODE)
            return _retry_later("login.too-often", language, wanted, wait)
        role = self._role(fields.get("code", ""))
        if role is None:
            wrong.take(address)
            count_rejection(Rejected.CODE)
            return ask_for_code(language, wanted, status=403, problem="login.wrong")
        wait = self._new.take(address) if role == STUDENT else 0.0
        if wait:
            count_rejection(Rejected.VISITOR)
            return _retry_later("login.many-visitors", language, wanted, wait)
        self._note_known(address)
        answer = RedirectResponse(wanted, 303)
        self._cookies.set(answer, role)
        return answer

    def _note_known(self, address: str) -> None:
        self._known.pop(address, None)
        self._known[address] = None
        if len(self._known) > MAX_KEYS:
            del self._known[next(iter(self._known))]

    def _role(self, code: str) -> str | None:
        """Return the role of a code, in the same time for a wrong code as for a right one."""
        digest = _digest(code)
        matching = [
            role
            for role, known in self._codes.items()
            if hmac.compare_digest(digest, _digest(known)) and known
        ]
        return matching[0] if matching else None


def _digest(code: str) -> bytes:
    """Hash a code, so that the time of a comparison does not depend on its length."""
    return hashlib.sha256(unicodedata.normalize("NFKC", code).strip().encode()).digest()


def _retry_later(problem: str, language: str, wanted: str, wait: float) -> Response:
    seconds = math.ceil(wait)
    return ask_for_code(language, wanted, status=429, problem=problem, seconds=seconds)


def _reject(scope: Scope) -> Response:
    language = language_of(scope)
    if not wants_page(scope):
        return unauthorized(language)
    return ask_for_code(language, requested_url(scope), status=401)


async def _read_form(receive: Receive) -> dict[str, str] | None:
    """Read the fields of a form; None if it is too large, too slow, or cut off."""
    try:
        async with asyncio.timeout(FORM_TIMEOUT_SECONDS):
            body = await _read_body(receive)
    except TimeoutError:
        return None
    if body is None:
        return None
    fields = parse_qs(body.decode("utf-8", "replace"))
    return {name: values[-1] for name, values in fields.items()}


async def _read_body(receive: Receive) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > MAX_FORM_BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(body)
