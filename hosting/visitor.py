"""The visitor of a request, as the gate identifies them; in an open playground there is none."""

import re
from dataclasses import dataclass

from starlette.types import Scope

KEY = "playground.visitor"  # in an ASGI scope
NO_ADDRESS = "unknown"
NETWORK = re.compile(r"^((?:[0-9a-f]{1,4}:){1,4})", re.IGNORECASE)


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


def of(scope: Scope) -> Visitor | None:
    """Return the visitor of a request; None in an open playground."""
    visitor: Visitor | None = scope.get(KEY)
    return visitor


def address(scope: Scope) -> str:
    """Return the client's address; of IPv6 the network, all of which one visitor may have.

    Behind a proxy, uvicorn replaces it by the visitor's (``FORWARDED_ALLOW_IPS``).

    >>> address({"client": ("192.0.2.7", 1)}), address({"client": ("2001:db8:1:2:3:4:5:6", 1)})
    ('192.0.2.7', '2001:db8:1:2:')
    """
    client = scope.get("client")
    host = str(client[0]) if client else NO_ADDRESS
    network = NETWORK.match(host)
    return network[1].lower() if network and host != "::1" else host
