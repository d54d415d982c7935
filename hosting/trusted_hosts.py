"""ASGI middleware that rejects requests by a foreign host name, and WebSockets of foreign pages.

A page of another site can make a visitor's browser connect to this server: by a WebSocket, whose
``Origin`` then names that site, or by a DNS name that the site points to this server (DNS
rebinding), which ``Host`` then names. Both are rejected before Streamlit sees them: for an
``Origin`` that differs from ``Host``, Streamlit asks the internet for the address of this server,
and its event loop waits for the answer.

Every IP address in ``Host`` is trusted: a page that was loaded from it came from this server. A
class in a local network therefore needs no setting if it types the address in numbers.
"""

import ipaddress
import logging
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hosting.login_and_error_pages import reject_websocket, say
from hosting.logs_and_metrics import Rejected, count_rejection
from hosting.requests import is_public, language_of
from hosting.settings import Settings

DEFAULT_PORTS = {"http": 80, "https": 443}
LOOPBACK = ("127.0.0.1", "::1")
PROXY_HEADERS = (
    *("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"),
    *("x-original-host", "cf-connecting-ip", "true-client-ip"),
)
_log = logging.getLogger(__name__)


class TrustedHosts:
    """Rejects requests by a foreign host name, and WebSockets of foreign pages.

    Args:
        app: The next application.
        settings: The public address.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._origin = browser_origin(settings.public_address)
        self._name = host_name(self._origin.partition("://")[2])
        self._has_warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or is_public(scope):  # health may be polled by any name
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        origin = headers.get("origin") if scope["type"] == "websocket" else None
        has_public_origin = bool(origin) and origin == self._origin
        is_same = origin in (None, f"http://{host}", f"https://{host}")
        if not self._is_trusted(host) or not (is_same or has_public_origin):
            count_rejection(Rejected.ADDRESS)
            await self._reject(scope, receive, send)
        elif is_same:
            await self._app(scope, receive, send)
        else:
            await self._app(_with_host(scope, self._origin), receive, send)

    def _is_trusted(self, host: str) -> bool:
        name = host_name(host)
        return bool(name) and (name in ("localhost", self._name) or is_ip_address(name))

    async def _reject(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._has_warned:  # once: strangers decide how often this happens
            self._has_warned = True
            _log.warning(
                "rejected a request by an unknown host name or from a page of another site; if "
                "visitors use that name, set PLAYGROUND_PUBLIC_ADDRESS to the address they type"
            )
        if scope["type"] == "websocket":
            await reject_websocket(receive, send)
        else:
            sentence = say("limits.unknown-name", language_of(scope))
            await PlainTextResponse(sentence, 400)(scope, receive, send)


def host_name(host: str) -> str:
    """Return the name in a ``Host`` header, without its port; empty if it is malformed.

    >>> host_name("Playground.example.edu.:8501"), host_name("[::1]:8501"), host_name("a@b/c")
    ('playground.example.edu', '::1', '')
    """
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018 - raises ValueError if it is invalid
    except ValueError:
        return ""
    is_plain = parts.netloc == host and "@" not in host
    return (parts.hostname or "").rstrip(".") if is_plain else ""


def browser_origin(address: str) -> str:
    """Return the origin of an address as a browser writes it; empty if it has none.

    >>> browser_origin("https://Playground.example.edu:443/"), browser_origin("https://")
    ('https://playground.example.edu', '')
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        return ""
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    is_default = port in (None, DEFAULT_PORTS[parts.scheme])
    return f"{parts.scheme}://{name}" + ("" if is_default else f":{port}")


def is_ip_address(name: str) -> bool:
    """Return whether a host is an IP address, which no DNS entry can redirect."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(name: str) -> bool:
    """Return whether a host can only be reached from this computer.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return name == "localhost" or (is_ip_address(name) and ipaddress.ip_address(name).is_loopback)


def is_from_this_computer(headers: Mapping[str, str], client: str) -> bool:
    """Return whether a request comes from a browser on this computer, as far as can be told.

    A request through a proxy does not, wherever the proxy runs: proxies and tunnels say in a header
    for whom they ask. Nor does one by another host name: a page of another site may have sent it
    (DNS rebinding). A tunnel that forwards bytes without reading them (``ssh -R``) is told by the
    host name, which a stranger at its other end can forge.

    Args:
        headers: Of the request; names in any case.
        client: Its address, after uvicorn has replaced it by a proxy's.

    >>> is_from_this_computer({"Host": "localhost:8501"}, "127.0.0.1")
    True
    >>> is_from_this_computer({"Host": "localhost", "X-Forwarded-For": "192.0.2.7"}, "127.0.0.1")
    False
    """
    given = {name.lower(): value for name, value in headers.items()}
    is_direct = not any(name in given for name in PROXY_HEADERS)
    return is_direct and client in LOOPBACK and is_loopback(host_name(given.get("host", "")))


def _with_host(scope: Scope, origin: str) -> Scope:
    """Return the scope with the host that the browser knows, which a tunnel has replaced."""
    headers = MutableHeaders(raw=list(scope["headers"]))
    headers["host"] = origin.partition("://")[2]
    return {**scope, "headers": headers.raw}
