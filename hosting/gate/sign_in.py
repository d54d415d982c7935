"""The gate of an identity provider: pure ASGI around Streamlit's own ``st.login``."""

import re
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.auth_util import encode_provider_token
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from hosting import visitor
from hosting.gate import onward, page, set_cookies
from hosting.gate.account import is_invited, origin, signed_in
from hosting.gate.refusing import (
    READING,
    asked_of,
    closed,
    is_open,
    onward_of,
    refuse_websocket,
    wants_page,
)
from hosting.metrics import refusals
from hosting.metrics.refusals import Refused
from hosting.settings import Settings
from hosting.words import language_of

BEGIN = "/door/sign-in"
LOGIN, LOGOUT, CALLBACK = "/auth/login", "/auth/logout", onward.WAY_BACK
PROVIDER = "default"
FAILED = 400  # and above
HOUR = 3_600
LASTING = re.compile(r"(;\s*max-age=)[1-9]\d*", re.IGNORECASE)  # 0 takes a cookie back


class SignInDoor:
    """Lets through who has signed in and belongs to the class; the others get the door.

    Args:
        app: What stands behind the gate.
        settings: The provider, and who may come in.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the door, or pass on with the visitor in the scope."""
        if scope["type"] == "lifespan" or is_open(scope):
            await self._app(scope, receive, send)
            return
        if _is_signing_in(scope):
            ours = self._with_our_cookies(scope, send)
            if scope["path"] == LOGIN:
                await self._lead_to_the_provider(scope, receive, ours)
            else:
                await self._app(scope, receive, ours)
            return
        who = signed_in(HTTPConnection(scope).cookies, self._settings)
        is_welcome = who is not None and is_invited(who, self._settings)
        if scope["type"] == "http" and scope["path"] in (page.DOOR, BEGIN):
            answer = self._at_the_door(scope, who, is_welcome=is_welcome)
            await answer(scope, receive, send)
        elif is_welcome:
            await self._app({**scope, visitor.KEY: who}, receive, send)
        else:
            refusals.note(Refused.STRANGER)
            await self._refuse(scope, receive, send, who)

    async def _refuse(
        self, scope: Scope, receive: Receive, send: Send, who: visitor.Visitor | None
    ) -> None:
        if scope["type"] == "websocket":
            await refuse_websocket(receive, send)
        elif wants_page(scope):
            await _closed_door(scope, asked_of(scope), who)(scope, receive, send)
        else:
            await closed(language_of(scope))(scope, receive, send)

    def _at_the_door(
        self, scope: Scope, who: visitor.Visitor | None, *, is_welcome: bool
    ) -> Response:
        if scope["method"] not in READING:
            return PlainTextResponse("", 405)
        if scope["path"] == BEGIN:  # its token lasts two minutes, so it is made on the click
            token = encode_provider_token(PROVIDER)
            wanted = onward_of(scope)
            query = urlencode({"provider": token, "next": wanted})
            answer = RedirectResponse(f"{LOGIN}?{query}", 303)
            onward.remember(answer, wanted, is_secure=self._settings.is_https)
            return answer
        if is_welcome:
            return page.inside(language_of(scope), onward_of(scope), sign_out=LOGOUT)
        return _closed_door(scope, onward_of(scope), who)

    async def _lead_to_the_provider(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Streamlit's way there; where the provider does not answer, the door says so."""
        answer: list[Message] = []

        async def keep(message: Message) -> None:
            answer.append(message)

        await self._app(scope, receive, keep)
        if answer[0]["status"] >= FAILED:
            door = _door(scope, onward_of(scope), 503, page.PROVIDER_AWAY)
            await door(scope, receive, send)
            return
        for each in answer:
            await send(each)

    def _with_our_cookies(self, scope: Scope, send: Send) -> Send:
        """What Streamlit answers, with cookies for as long as we say, and the way onward."""
        settings, cookies = self._settings, HTTPConnection(scope).cookies

        async def mend(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                set_cookies.alter(headers, lambda each: bounded(each, settings))
                if scope["path"] == CALLBACK and "location" in headers:
                    headers["location"] = onward.recall(cookies)
                    onward.forget(headers, cookies)
                message = {**message, "headers": headers.raw}
            await send(message)

        return mend


def bounded(cookie: str, settings: Settings) -> str:
    """A cookie of Streamlit's for as long as the settings say.

    >>> bounded("_streamlit_user=x; Max-Age=2592000; Path=/", Settings(cookie_hours=1))
    '_streamlit_user=x; Max-Age=3600; Path=/'
    """
    seconds = str(settings.cookie_hours * HOUR)
    is_theirs = cookie.startswith(USER_COOKIE_NAME)  # of the tokens as well
    return LASTING.sub(lambda found: found[1] + seconds, cookie) if is_theirs else cookie


def auth_section(settings: Settings, secret: str) -> dict[str, str]:
    """What Streamlit wants to know for ``st.login``, as its ``[auth]`` secrets.

    Args:
        settings: The provider.
        secret: Signs the cookies.
    """
    return {
        "redirect_uri": origin(settings) + CALLBACK,
        "cookie_secret": secret,
        "client_id": settings.oidc_client_id,
        "client_secret": settings.oidc_client_secret,
        "server_metadata_url": settings.oidc_metadata,
    }


def _is_signing_in(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["path"] in (LOGIN, LOGOUT, CALLBACK)
        and scope["method"] == "GET"
    )


def _closed_door(scope: Scope, wanted: str, who: visitor.Visitor | None) -> Response:
    status, trouble = (401, "") if who is None else (403, page.NOT_INVITED)
    return _door(scope, wanted, status, trouble)


def _door(scope: Scope, wanted: str, status: int, trouble: str) -> Response:
    begin = f"{BEGIN}?{urlencode({'next': wanted})}"
    return page.ask_to_sign_in(
        language_of(scope), wanted, address=begin, status=status, trouble=trouble
    )
