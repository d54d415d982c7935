"""The gate of an OpenID Connect provider: ASGI middleware around Streamlit's ``st.login``.

Streamlit signs its cookie; the operator's settings decide how old it may be, and which accounts
belong to the class. Both are checked here, so uploads and WebSockets are closed to all others.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting import framework_internals
from hosting.cookies import (
    CALLBACK_PATH,
    forget_url,
    recall_url,
    remember_url,
    rewrite_cookies,
)
from hosting.login_and_error_pages import (
    NOT_INVITED,
    PROVIDER_AWAY,
    ask_to_sign_in,
    reject_websocket,
    signed_in,
    unauthorized,
)
from hosting.logs_and_metrics import Rejected, count_rejection
from hosting.requests import (
    LOGIN_PATH,
    READ_METHODS,
    VISITOR_KEY,
    Visitor,
    is_public,
    language_of,
    next_url,
    requested_url,
    wants_page,
)
from hosting.settings import Settings

SIGN_IN_PATH = "/door/sign-in"
AUTH_LOGIN_PATH, LOGOUT_PATH = "/auth/login", "/auth/logout"  # Streamlit's
PROVIDER = "default"
FIRST_ERROR_STATUS = 400
HOUR_SECONDS = 3_600
HOURS_PER_DAY = 24
POSITIVE_MAX_AGE = re.compile(r"(;\s*max-age=)[1-9]\d*", re.IGNORECASE)  # 0 deletes a cookie


class SignInGate:
    """Passes on requests of accounts that belong to the class; the others get the login page.

    Args:
        app: The application behind the gate.
        settings: The provider, and the accounts of the class.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or is_public(scope):
            await self._app(scope, receive, send)
            return
        if _is_signing_in(scope):
            send_bounded = self._with_bounded_cookies(scope, send)
            if scope["path"] == AUTH_LOGIN_PATH:
                await self._redirect_to_provider(scope, receive, send_bounded)
            else:
                await self._app(scope, receive, send_bounded)
            return
        who = signed_in_visitor(HTTPConnection(scope).cookies, self._settings)
        is_member = who is not None and belongs_to_class(who, self._settings)
        if scope["type"] == "http" and scope["path"] in (LOGIN_PATH, SIGN_IN_PATH):
            answer = self._answer_login(scope, who, is_member=is_member)
            await answer(scope, receive, send)
        elif is_member:
            await self._app({**scope, VISITOR_KEY: who}, receive, send)
        else:
            count_rejection(Rejected.STRANGER)
            await self._reject(scope, receive, send, who)

    async def _reject(
        self, scope: Scope, receive: Receive, send: Send, who: Visitor | None
    ) -> None:
        if scope["type"] == "websocket":
            await reject_websocket(receive, send)
        elif wants_page(scope):
            await _login_page_of(scope, requested_url(scope), who)(scope, receive, send)
        else:
            await unauthorized(language_of(scope))(scope, receive, send)

    def _answer_login(self, scope: Scope, who: Visitor | None, *, is_member: bool) -> Response:
        if scope["method"] not in READ_METHODS:
            return PlainTextResponse("", 405)
        wanted = next_url(scope)
        if scope["path"] == SIGN_IN_PATH:  # the token is valid for two minutes: made on the click
            token = framework_internals.provider_token(PROVIDER)
            query = urlencode({"provider": token, "next": wanted})
            answer = RedirectResponse(f"{AUTH_LOGIN_PATH}?{query}", 303)
            remember_url(answer, wanted, is_secure=self._settings.is_https)
            return answer
        if is_member:
            return signed_in(language_of(scope), wanted, sign_out=LOGOUT_PATH)
        return _login_page_of(scope, wanted, who)

    async def _redirect_to_provider(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on Streamlit's redirect; if the provider does not answer, show that instead."""
        answer: list[Message] = []

        async def collect(message: Message) -> None:
            answer.append(message)

        await self._app(scope, receive, collect)
        if answer[0]["status"] >= FIRST_ERROR_STATUS:
            wanted = next_url(scope)
            page = _login_page(scope, wanted, 503, PROVIDER_AWAY)
            await page(scope, receive, send)
            return
        for each in answer:
            await send(each)

    def _with_bounded_cookies(self, scope: Scope, send: Send) -> Send:
        """Bound the age of Streamlit's cookies, and redirect the callback to the requested URL."""
        settings, cookies = self._settings, HTTPConnection(scope).cookies

        async def send_bounded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                rewrite_cookies(headers, lambda each: bound_age(each, settings))
                if scope["path"] == CALLBACK_PATH and "location" in headers:
                    headers["location"] = recall_url(cookies)
                    forget_url(headers, cookies)
                message = {**message, "headers": headers.raw}
            await send(message)

        return send_bounded


def bound_age(cookie: str, settings: Settings) -> str:
    """Bound the age of a cookie of Streamlit by the settings.

    >>> bound_age("_streamlit_user=x; Max-Age=2592000; Path=/", Settings(cookie_hours=1))
    '_streamlit_user=x; Max-Age=3600; Path=/'
    """
    if not framework_internals.is_user_cookie(cookie):
        return cookie
    seconds = str(settings.cookie_hours * HOUR_SECONDS)
    return POSITIVE_MAX_AGE.sub(lambda found: found[1] + seconds, cookie)


def auth_secrets(settings: Settings, secret: str) -> dict[str, str]:
    """Return the ``[auth]`` section of Streamlit's secrets, which ``st.login`` reads.

    Args:
        settings: The provider.
        secret: Signs the cookies.
    """
    return {
        "redirect_uri": origin(settings) + CALLBACK_PATH,
        "cookie_secret": secret,
        "client_id": settings.oidc_client_id,
        "client_secret": settings.oidc_client_secret,
        "server_metadata_url": settings.oidc_metadata,
    }


def signed_in_visitor(cookies: Mapping[str, str], settings: Settings) -> Visitor | None:
    """Return the visitor whose cookie a request has; None without a valid one."""
    days = settings.cookie_hours / HOURS_PER_DAY
    claims = framework_internals.read_user_claims(cookies, days)
    return visitor_of(claims, settings) if claims.get("origin") == origin(settings) else None


def visitor_of(claims: Mapping[str, Any], settings: Settings) -> Visitor | None:
    """Return the visitor whom the provider's claims describe; None if nobody has signed in."""
    subject, is_in = claims.get("sub"), claims.get("is_logged_in")
    if not subject or is_in is not True:
        return None
    email = _email_of(claims)
    issuer = str(claims.get("iss") or "")
    return Visitor(id=f"{issuer} {subject}", email=email, is_teacher=email in settings.teachers)


def belongs_to_class(who: Visitor, settings: Settings) -> bool:
    """Return whether the account belongs to the class; teachers do.

    >>> belongs_to_class(Visitor(id="1", email="a@x.edu"), Settings(oidc_allowed=("@x.edu",)))
    True
    """
    allowed = settings.oidc_allowed
    domain = "@" + who.email.rpartition("@")[2]
    return not allowed or who.is_teacher or who.email in allowed or domain in allowed


def origin(settings: Settings) -> str:
    """Return the public address as the cookie holds it.

    >>> origin(Settings(public_address="https://playground.example.edu/"))
    'https://playground.example.edu'
    """
    return settings.public_address.rstrip("/")


def _email_of(claims: Mapping[str, Any]) -> str:
    """Return the e-mail address in lower case; empty if the provider says it is not verified."""
    is_verified = claims.get("email_verified") is not False  # many providers leave it out
    return str(claims.get("email") or "").strip().lower() if is_verified else ""


def _is_signing_in(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["path"] in (AUTH_LOGIN_PATH, LOGOUT_PATH, CALLBACK_PATH)
        and scope["method"] == "GET"
    )


def _login_page_of(scope: Scope, wanted: str, who: Visitor | None) -> Response:
    status, problem = (401, "") if who is None else (403, NOT_INVITED)
    return _login_page(scope, wanted, status, problem)


def _login_page(scope: Scope, wanted: str, status: int, problem: str) -> Response:
    sign_in = f"{SIGN_IN_PATH}?{urlencode({'next': wanted})}"
    return ask_to_sign_in(
        language_of(scope), wanted, sign_in=sign_in, status=status, problem=problem
    )
