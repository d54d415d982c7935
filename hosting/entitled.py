"""Who may see what is meant for the operator: metrics, and the whole of the health."""

import hmac

from starlette.datastructures import Headers
from starlette.types import Scope

from hosting import visitor
from hosting.gate.trusted_hosts import host_name, is_loopback
from hosting.settings import Gate, Settings

LOOPBACK = ("127.0.0.1", "::1")
THROUGH_A_PROXY = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
SCHEME = "bearer "


def is_operator(scope: Scope, settings: Settings) -> bool:
    """Whether the token was sent; or, in an open playground without one, from this computer.

    What came through a proxy does not count as this computer, wherever the proxy runs, nor does
    what asks by another name: a page of another site may have sent it (DNS rebinding).
    """
    headers = Headers(scope=scope)
    if settings.metrics_token:
        given = headers.get("authorization", "")
        token = given[len(SCHEME) :] if given.lower().startswith(SCHEME) else ""
        return hmac.compare_digest(token.encode(), settings.metrics_token.encode())
    is_direct = not any(name in headers for name in THROUGH_A_PROXY)
    is_here = visitor.address(scope) in LOOPBACK and is_loopback(host_name(headers.get("host", "")))
    return settings.gate is Gate.OPEN and is_direct and is_here
