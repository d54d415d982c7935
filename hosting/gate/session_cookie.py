"""The signed session cookie of a visitor who entered the class code, and the secret that signs it.

The cookie holds a role, a random id and a time; nothing personal.
"""

import contextlib
import hashlib
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from itsdangerous import BadData, URLSafeSerializer
from starlette.responses import Response

from hosting.setting_field import SettingError
from hosting.settings import MIN_SECRET_CHARACTERS, Settings
from hosting.visitor import Visitor

COOKIE = "playground_visitor"
SECRET_FILE = "cookie-secret"  # in the data folder
HOUR_SECONDS = 3_600
ID_BYTES = 16
MAX_COOKIE_CHARACTERS = 512
SIGNING = {"digest_method": hashlib.sha256, "key_derivation": "hmac"}
STUDENT, TEACHER = "student", "teacher"


class SessionCookies:
    """Sets, reads and deletes session cookies.

    The signature depends on the code that was entered, so a new code ends all earlier sessions.

    Args:
        settings: The codes, and how long a session lasts.
        secret: Signs the cookies.
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
        self._max_age_seconds = settings.cookie_hours * HOUR_SECONDS
        self._is_secure = settings.is_https
        self._clock = clock

    def set(self, response: Response, role: str) -> None:
        """Put the cookie of a new session into a response."""
        session = [secrets.token_urlsafe(ID_BYTES), int(self._clock())]
        signed = str(self._signers[role].dumps(session))
        response.set_cookie(
            COOKIE,
            f"{role}.{signed}",
            max_age=self._max_age_seconds,
            secure=self._is_secure,
            httponly=True,
            samesite="lax",  # with "strict", a link to a lesson would ask for the code again
        )

    def delete(self, response: Response) -> None:
        """Make the browser delete its cookie."""
        response.delete_cookie(COOKIE, secure=self._is_secure, httponly=True, samesite="lax")

    def visitor(self, cookies: Mapping[str, str]) -> Visitor | None:
        """Return the visitor whose cookie a request has; None without a valid one.

        A clock that was set back does not make a cookie invalid.
        """
        role, _, signed = cookies.get(COOKIE, "")[:MAX_COOKIE_CHARACTERS].partition(".")
        if role not in self._signers:
            return None
        try:
            name, set_at = self._signers[role].loads(signed)
        except BadData:
            return None
        if self._clock() - set_at > self._max_age_seconds:
            return None
        return Visitor(id=name, is_teacher=role == TEACHER)


def cookie_secret(settings: Settings) -> str:
    """Return the operator's secret, or one that is generated once in the data folder.

    Raises:
        SettingError: The folder cannot be written, or other users may read the file.
    """
    if settings.cookie_secret:
        return settings.cookie_secret
    file = settings.data_folder / SECRET_FILE
    try:
        if not file.exists():
            _generate(file)
        mode_of_others = file.stat().st_mode & 0o077
        secret = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise SettingError(
            "The cookie secret cannot be kept in PLAYGROUND_DATA_FOLDER: the server must be able "
            "to write there, or set PLAYGROUND_COOKIE_SECRET."
        ) from None
    if mode_of_others and os.name == "posix":
        raise SettingError(
            f"{SECRET_FILE} in PLAYGROUND_DATA_FOLDER must be readable by its owner alone."
        )
    if len(secret) < MIN_SECRET_CHARACTERS:
        raise SettingError(
            f"{SECRET_FILE} in PLAYGROUND_DATA_FOLDER is damaged; remove it for a new one."
        )
    return secret


def _generate(file: Path) -> None:
    """Write a new secret; of servers that start together, all read that of the first."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=file.parent)  # mode 0600
    try:
        with os.fdopen(handle, "w") as opened:
            opened.write(secrets.token_hex(MIN_SECRET_CHARACTERS))
        with contextlib.suppress(FileExistsError):
            os.link(unfinished, file)  # never seen half written
    finally:
        Path(unfinished).unlink()
