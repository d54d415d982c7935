"""The gate of a class code: pure ASGI, before everything else, closed unless a ticket is shown."""

import hashlib
import hmac
import math
import unicodedata

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hosting import visitor
from hosting.buckets import Buckets
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


class ClassDoor:
    """Lets through who shows a ticket; the others get the door.

    Args:
        app: What stands behind the gate.
        settings: The codes, and how often they may be tried.
        secret: Signs the tickets.
    """

    def __init__(self, app: ASGIApp, settings: Settings, secret: str) -> None:
        self._app = app
        self._codes = {STUDENT: settings.class_code, TEACHER: settings.teacher_code}
        self._tickets = Tickets(settings, secret)
        self._wrong = Buckets(each=settings.code_tries, together=settings.code_tries_in_all)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the door, or pass on with the visitor in the scope."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        who = self._tickets.visitor(HTTPConnection(scope).cookies)
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
        wait = self._wrong.wait(guest)
        if wait:
            refusals.note(Refused.CODE)
            return page.ask_for_code(
                language, onward, status=429, trouble="door.too-often", seconds=math.ceil(wait)
            )
        role = self._role(fields.get("code", ""))
        if role is None:
            self._wrong.take(guest)
            refusals.note(Refused.CODE)
            return page.ask_for_code(language, onward, status=403, trouble="door.wrong")
        answer = RedirectResponse(onward, 303)
        self._tickets.give(answer, role)
        return answer

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


def _closed(scope: Scope) -> Response:
    language = language_of(scope)
    if not wants_page(scope):
        return closed(language)
    return page.ask_for_code(language, asked_of(scope), status=401)
