"""A request as its ASGI scope describes it: visitor, address, language, URL.

The gate identifies the visitor; in an open playground there is none.
"""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers
from starlette.types import Scope

VISITOR_KEY = "playground.visitor"  # in an ASGI scope
NO_ADDRESS = "unknown"
NETWORK = re.compile(r"^((?:[0-9a-f]{1,4}:){1,4})", re.IGNORECASE)
PUBLIC_PATHS = ("/api/health", "/api/metrics")  # "ok" and no more; metrics want their token
READ_METHODS = ("GET", "HEAD")
LOGIN_PATH = "/door"
LEAVE_PATH = "/door/leave"
HOME = "/"
MAX_URL_CHARACTERS = 6_000  # a link may hold a whole network or program
EN, ZH = "en", "zh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """A visitor whom the gate let in.

    Attributes:
        id: Random with a class code, the provider's with OIDC.
        is_teacher: May see the teacher's page.
        email: With OIDC only.
    """

    id: str
    is_teacher: bool = False
    email: str = ""


def visitor_of_request(scope: Scope) -> Visitor | None:
    """Return the visitor of a request; None in an open playground."""
    visitor: Visitor | None = scope.get(VISITOR_KEY)
    return visitor


def client_address(scope: Scope) -> str:
    """Return the client's address; of IPv6 the network, all of which one visitor may have.

    Behind a proxy, uvicorn replaces it by the visitor's (``FORWARDED_ALLOW_IPS``).

    >>> client_address({"client": ("192.0.2.7", 1)})
    '192.0.2.7'
    >>> client_address({"client": ("2001:db8:1:2:3:4:5:6", 1)})
    '2001:db8:1:2:'
    """
    client = scope.get("client")
    host = str(client[0]) if client else NO_ADDRESS
    network = NETWORK.match(host)
    return network[1].lower() if network and host != "::1" else host


def language_of(scope: Scope) -> str:
    """Return the language of the URL (``?lang=zh``), else the browser's, else English.

    >>> language_of({"type": "http", "query_string": b"lang=zh", "headers": []})
    'zh'
    """
    query: str = scope.get("query_string", b"").decode("latin-1")
    asked = parse_qs(query).get("lang", [""])[-1]
    if asked in (EN, ZH):
        return asked
    preferred = Headers(scope=scope).get("accept-language", "").lstrip().lower()
    return ZH if preferred.startswith("zh") else EN


def is_public(scope: Scope) -> bool:
    """Return whether a request is answered without the gate."""
    is_read = scope["type"] == "http" and scope["method"] in READ_METHODS
    return is_read and scope["path"] in PUBLIC_PATHS


def wants_page(scope: Scope) -> bool:
    """Return whether a browser asks for a page to show to its visitor."""
    accepts = Headers(scope=scope).get("accept", "")
    return scope["method"] in READ_METHODS and "text/html" in accepts


def requested_url(scope: Scope) -> str:
    """Return the URL of a request, to come back to it."""
    query = scope["query_string"].decode("latin-1")
    return safe_url(quote(scope["path"]) + (f"?{query}" if query else ""))


def next_url(scope: Scope) -> str:
    """Return the URL that the login page leads to (``?next=``)."""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    return safe_url(query.get("next", [HOME])[-1])


def safe_url(url: str) -> str:
    """Return a URL of this server, or its first page: nobody is redirected to another host.

    >>> safe_url("/tensors?lang=zh"), safe_url("//elsewhere.example")
    ('/tensors?lang=zh', '/')
    """
    is_ours = url.startswith("/") and not url.startswith(("//", LOGIN_PATH))
    is_plain = "\\" not in url and url.isprintable() and len(url) <= MAX_URL_CHARACTERS
    return url if is_ours and is_plain else HOME
