"""The gate of a class code: pure ASGI, before everything else, closed unless a ticket is shown.

Wrong codes are limited by address, and a class often shares one. So addresses with a valid ticket
have a limit of their own, which is higher: nobody elsewhere can use it up, and one student who
guesses does not keep the others out. New tickets are limited by address as well.
"""

import hashlib
import hmac
import math
import time
import unicodedata
from collections.abc import Callable

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hosting import visitor
from hosting.buckets import MOST_KEPT, Buckets
from hosting.gate import form, page
from hosting.gate.refusing import (
    READING,
    asked_of,
    closed,
    is_open,
    onward_of,
    refuse_websocket,
    wants_page,
)
from hosting.gate.ticket import STUDENT, TEACHER, Tickets
from hosting.metrics import refusals
from hosting.metrics.refusals import Refused
from hosting.settings import Settings
from hosting.words import language_of

KNOWN_TIMES = 10  # as many wrong codes from an address with a valid ticket
TOGETHER_TIMES = 10  # as many new tickets for all addresses as for one


class ClassDoor:
    """Lets through who shows a ticket; the others get the door.

    Args:
        app: What stands behind the gate.
        settings: The codes, and how often they may be tried.
        secret: Signs the tickets.
        clock: Gives the time for the limits, in seconds.
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
        self._tickets = Tickets(settings, secret)
        each, together = settings.code_tries, settings.code_tries_in_all
        self._wrong = Buckets(each=each, together=together, clock=clock)
        self._wrong_of_known = Buckets(
            each=each * KNOWN_TIMES, together=together * KNOWN_TIMES, clock=clock
        )
        self._known: dict[str, None] = {}  # addresses with a valid ticket, the latest last
        each = settings.visitors_per_minute
        self._new = Buckets(each=each, together=each * TOGETHER_TIMES, clock=clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the door, or pass on with the visitor in the scope."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        who = self._tickets.visitor(HTTPConnection(scope).cookies)
        if who is not None:
            self._note_known(visitor.address(scope))
        if scope["type"] == "http" and scope["path"] in (page.DOOR, page.LEAVE):
            answer = await self._at_the_door(scope, receive, who)
            await answer(scope, receive, send)
        elif who is not None:
            await self._app({**scope, visitor.KEY: who}, receive, send)
        elif is_open(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            refusals.note(Refused.STRANGER)
            await refuse_websocket(receive, send)
        else:
            refusals.note(Refused.STRANGER)
            await _closed(scope)(scope, receive, send)

    async def _at_the_door(
        self, scope: Scope, receive: Receive, who: visitor.Visitor | None
    ) -> Response:
        language, onward = language_of(scope), onward_of(scope)
        if scope["path"] == page.LEAVE and scope["method"] == "POST":
            answer: Response = RedirectResponse(page.DOOR, 303)
            self._tickets.take_back(answer)
            return answer
        if scope["path"] == page.DOOR and scope["method"] == "POST":
            return await self._try(scope, receive, language, onward)
        if scope["method"] not in READING:
            return PlainTextResponse("", 405)
        if who is not None:
            return page.inside(language, onward)
        return page.ask_for_code(language, onward, status=200)

    async def _try(self, scope: Scope, receive: Receive, language: str, onward: str) -> Response:
        """Look at a code, unless too many wrong ones came before it."""
        guest = visitor.address(scope)
        fields = await form.read(receive)
        if fields is None:
            return page.ask_for_code(language, onward, status=400)
        wrong = self._wrong_of_known if guest in self._known else self._wrong
        wait = wrong.wait(guest)
        if wait:
            refusals.note(Refused.CODE)
            return _later("door.too-often", language, onward, wait)
        role = self._role(fields.get("code", ""))
        if role is None:
            wrong.take(guest)
            refusals.note(Refused.CODE)
            return page.ask_for_code(language, onward, status=403, trouble="door.wrong")
        wait = self._new.take(guest) if role == STUDENT else 0.0
        if wait:
            refusals.note(Refused.VISITOR)
            return _later("door.many-visitors", language, onward, wait)
        self._note_known(guest)
        answer = RedirectResponse(onward, 303)
        self._tickets.give(answer, role)
        return answer

    def _note_known(self, address: str) -> None:
        self._known.pop(address, None)
        self._known[address] = None
        if len(self._known) > MOST_KEPT:
            del self._known[next(iter(self._known))]

    def _role(self, given: str) -> str | None:
        """Whose code it is; takes as long for a wrong one as for a right one."""
        digest = _digest(given)
        matching = [
            role
            for role, code in self._codes.items()
            if hmac.compare_digest(digest, _digest(code)) and code
        ]
        return matching[0] if matching else None


def _digest(code: str) -> bytes:
    """Equal in length for all codes, so a comparison tells nothing about it."""
    return hashlib.sha256(unicodedata.normalize("NFKC", code).strip().encode()).digest()


def _later(trouble: str, language: str, onward: str, wait: float) -> Response:
    seconds = math.ceil(wait)
    return page.ask_for_code(language, onward, status=429, trouble=trouble, seconds=seconds)


def _closed(scope: Scope) -> Response:
    language = language_of(scope)
    if not wants_page(scope):
        return closed(language)
    return page.ask_for_code(language, asked_of(scope), status=401)
