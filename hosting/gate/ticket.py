"""The signed cookie of a visitor who knew the class code; it holds nothing personal."""

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping

from itsdangerous import BadData, URLSafeSerializer
from starlette.responses import Response

from hosting.settings import Settings
from hosting.visitor import Visitor

COOKIE = "playground_visitor"
HOUR = 3_600
ID_BYTES = 16
LONGEST = 512  # characters of a cookie that is looked at
SIGNING = {"digest_method": hashlib.sha256, "key_derivation": "hmac"}
STUDENT, TEACHER = "student", "teacher"


class Tickets:
    """Gives out tickets and reads them.

    A ticket is signed with the code that it was given for, so a new code ends all old ones.

    Args:
        settings: The codes, and how long a ticket lasts.
        secret: Signs the tickets.
        clock: The time of day, in seconds.
    """

    def __init__(
        self, settings: Settings, secret: str, clock: Callable[[], float] = time.time
    ) -> None:
        codes = {STUDENT: settings.class_code, TEACHER: settings.teacher_code}
        self._signers = {
            role: URLSafeSerializer(secret, salt=f"{role} {code}", signer_kwargs=SIGNING)
            for role, code in codes.items()
            if code
        }
        self._lasts = settings.cookie_hours * HOUR
        self._is_secure = settings.is_https
        self._clock = clock

    def give(self, response: Response, role: str) -> None:
        """Put a new ticket into a response."""
        ticket = [secrets.token_urlsafe(ID_BYTES), int(self._clock())]
        signed = str(self._signers[role].dumps(ticket))
        response.set_cookie(
            COOKIE,
            f"{role}.{signed}",
            max_age=self._lasts,
            secure=self._is_secure,
            httponly=True,
            samesite="lax",  # strict would ask again whoever follows a link to a lesson
        )

    def take_back(self, response: Response) -> None:
        """Make the browser forget its ticket."""
        response.delete_cookie(COOKIE, secure=self._is_secure, httponly=True, samesite="lax")

    def visitor(self, cookies: Mapping[str, str]) -> Visitor | None:
        """Who holds the ticket among a request's cookies; None where there is no valid one.

        A clock that was set back makes no ticket invalid.
        """
        role, _, signed = cookies.get(COOKIE, "")[:LONGEST].partition(".")
        if role not in self._signers:
            return None
        try:
            name, given = self._signers[role].loads(signed)
        except BadData:
            return None
        if self._clock() - given > self._lasts:
            return None
        return Visitor(id=name, is_teacher=role == TEACHER)
