"""Who has signed in with the identity provider; reads the cookie that ``st.login`` leaves.

The cookie and its signature are Streamlit's; how old it may be is the operator's. Whether the class
knows the account is checked here as well, so that uploads and websockets are closed to all others.
"""

import json
from collections.abc import Mapping
from typing import Any

from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from hosting.settings import Settings
from hosting.visitor import Visitor

HOURS_OF_A_DAY = 24


def signed_in(cookies: Mapping[str, str], settings: Settings) -> Visitor | None:
    """Whose cookie this is; None without a valid one."""
    claims = _claims(cookies, settings)
    return holder(claims, settings) if claims.get("origin") == origin(settings) else None


def holder(claims: Mapping[str, Any], settings: Settings) -> Visitor | None:
    """Of whom the provider's claims speak; None where nobody has signed in."""
    subject, is_in = claims.get("sub"), claims.get("is_logged_in")
    if not subject or is_in is not True:
        return None
    email = email_of(claims)
    issuer = str(claims.get("iss") or "")
    return Visitor(id=f"{issuer} {subject}", email=email, is_teacher=email in settings.teachers)


def is_invited(visitor: Visitor, settings: Settings) -> bool:
    """Whether the account belongs to the class; teachers do.

    >>> is_invited(Visitor(id="1", email="a@x.edu"), Settings(oidc_allowed=("@x.edu",)))
    True
    """
    allowed = settings.oidc_allowed
    domain = "@" + visitor.email.rpartition("@")[2]
    return not allowed or visitor.is_teacher or visitor.email in allowed or domain in allowed


def email_of(claims: Mapping[str, Any]) -> str:
    """The address in small letters; empty where the provider says that it is not verified."""
    is_verified = claims.get("email_verified") is not False  # many providers do not say
    return str(claims.get("email") or "").strip().lower() if is_verified else ""


def origin(settings: Settings) -> str:
    """The public address as the cookie holds it.

    >>> origin(Settings(public_address="https://playground.example.edu/"))
    'https://playground.example.edu'
    """
    return settings.public_address.rstrip("/")


def _claims(cookies: Mapping[str, str], settings: Settings) -> dict[str, Any]:
    secret, days = get_cookie_secret(), settings.cookie_hours / HOURS_OF_A_DAY

    def read(name: str) -> bytes | None:
        signed = cookies.get(name)
        return decode_signed_value(secret, name, signed, days) if signed else None

    try:
        decoded = get_cookie_with_chunks(read, USER_COOKIE_NAME)
        claims = json.loads(decoded) if decoded else {}
    except (ValueError, KeyError, TypeError):  # an odd number of chunks, or no JSON
        return {}
    return claims if isinstance(claims, dict) else {}
