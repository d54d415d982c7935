"""The cookies of the gate, and the secret that signs them.

- ``SessionCookies``: the signed cookie of a visitor who entered the class code. It holds a role, a
  random id and a time; nothing personal.
- ``remember_url``: the requested URL, across the redirects of a sign-in.
- ``SecureCookies``: every cookie of a server that visitors reach over TLS is sent over TLS only;
  where other sites may show the playground in a frame, each is made for that, too.
"""

import base64
import binascii
import contextlib
import hashlib
import os
import re
import secrets
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from itsdangerous import BadData, URLSafeSerializer
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.requests import HOME, MAX_URL_CHARACTERS, Visitor, safe_url
from hosting.setting_field import SettingError
from hosting.settings import MIN_SECRET_CHARACTERS, Settings

SESSION_COOKIE = "playground_visitor"
SECRET_FILE = "cookie-secret"  # in the data folder
HOUR_SECONDS = 3_600
ID_BYTES = 16
MAX_SESSION_CHARACTERS = 512
SIGNING = {"digest_method": hashlib.sha256, "key_derivation": "hmac"}
STUDENT, TEACHER = "student", "teacher"
URL_COOKIE = "playground_onward"  # numbered: a URL may need several
CALLBACK_PATH = "/oauth2callback"  # the provider redirects here; only here the cookies are sent
URL_MAX_AGE_SECONDS = 3_600  # time to look for a password
MAX_COOKIE_CHARACTERS = 3_500  # browsers accept 4096 bytes, with the name
MAX_COOKIES = 2
SAME_SITE = re.compile(r";\s*samesite=[^;]*", re.IGNORECASE)


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
            SESSION_COOKIE,
            f"{role}.{signed}",
            max_age=self._max_age_seconds,
            secure=self._is_secure,
            httponly=True,
            samesite="lax",  # with "strict", a link to a lesson would ask for the code again
        )

    def delete(self, response: Response) -> None:
        """Make the browser delete its cookie."""
        response.delete_cookie(
            SESSION_COOKIE, secure=self._is_secure, httponly=True, samesite="lax"
        )

    def visitor(self, cookies: Mapping[str, str]) -> Visitor | None:
        """Return the visitor whose cookie a request has; None without a valid one.

        A clock that was set back does not make a cookie invalid.
        """
        role, _, signed = cookies.get(SESSION_COOKIE, "")[:MAX_SESSION_CHARACTERS].partition(".")
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


def remember_url(response: Response, url: str, *, is_secure: bool) -> None:
    """Put a URL into the cookies of a response; leave out one that is too long."""
    packed = base64.urlsafe_b64encode(zlib.compress(url.encode(), level=9)).decode("ascii")
    pieces = [
        packed[start : start + MAX_COOKIE_CHARACTERS]
        for start in range(0, len(packed), MAX_COOKIE_CHARACTERS)
    ]
    if len(pieces) > MAX_COOKIES:
        pieces = []
    for index, name in enumerate(_url_cookies()):
        piece = pieces[index] if index < len(pieces) else ""
        response.set_cookie(
            name,
            piece,
            max_age=URL_MAX_AGE_SECONDS if piece else 0,
            path=CALLBACK_PATH,
            secure=is_secure,
            httponly=True,
            samesite="lax",
        )


def recall_url(cookies: Mapping[str, str]) -> str:
    """Return the URL from the cookies of a request, or the first page.

    They come from the browser, so they are unpacked within bounds, and lead to this server only.
    """
    packed = "".join(cookies.get(name, "") for name in _url_cookies())
    packed = packed[: MAX_COOKIE_CHARACTERS * MAX_COOKIES]
    try:
        url = zlib.decompressobj().decompress(base64.urlsafe_b64decode(packed), MAX_URL_CHARACTERS)
        return safe_url(url.decode("utf-8"))
    except (binascii.Error, zlib.error, ValueError):
        return HOME


def forget_url(headers: MutableHeaders, cookies: Mapping[str, str]) -> None:
    """Make the browser delete the cookies that it sent."""
    for name in _url_cookies():
        if name in cookies:
            headers.append("set-cookie", f"{name}=; Max-Age=0; Path={CALLBACK_PATH}; HttpOnly")


def _url_cookies() -> list[str]:
    return [f"{URL_COOKIE}_{index}" for index in range(MAX_COOKIES)]


class SecureCookies:
    """ASGI middleware that adds ``Secure`` to the cookies of every answer.

    Behind a proxy, Streamlit does not know that visitors come over TLS.

    Args:
        app: The application that sets cookies.
        is_embedded: Whether a page of another site may show the application in a frame.
    """

    def __init__(self, app: ASGIApp, *, is_embedded: bool = False) -> None:
        self._app = app
        self._rewrite = for_frames if is_embedded else secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secure(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                rewrite_cookies(headers, self._rewrite)
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, send_secure)


def secure(cookie: str) -> str:
    """Return a ``Set-Cookie`` line with the attribute ``Secure``.

    >>> secure("_streamlit_xsrf=x; Path=/"), secure("session=x; secure")
    ('_streamlit_xsrf=x; Path=/; Secure', 'session=x; secure')
    """
    attributes = (part.strip().lower() for part in cookie.split(";")[1:])
    return cookie if "secure" in attributes else f"{cookie}; Secure"


def for_frames(cookie: str) -> str:
    """Return a ``Set-Cookie`` line that browsers keep in a frame, apart for each site around it.

    ``Partitioned`` also keeps the cookie from requests that a page of any other site makes.

    >>> for_frames("session=x; HttpOnly; SameSite=lax; Path=/")
    'session=x; HttpOnly; Path=/; Secure; SameSite=None; Partitioned'
    """
    return f"{secure(SAME_SITE.sub('', cookie))}; SameSite=None; Partitioned"


def rewrite_cookies(headers: MutableHeaders, rewrite: Callable[[str], str]) -> None:
    """Replace every ``Set-Cookie`` line of an answer.

    >>> headers = MutableHeaders({"set-cookie": "a=1"})
    >>> rewrite_cookies(headers, str.upper)
    >>> headers.getlist("set-cookie")
    ['A=1']
    """
    lines = headers.getlist("set-cookie")
    del headers["set-cookie"]
    for line in lines:
        headers.append("set-cookie", rewrite(line))
