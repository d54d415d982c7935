"""The list of ASGI middleware before Streamlit, as the settings ask for it."""

from typing import Any

from starlette.middleware import Middleware

from hosting.gate.class_code import ClassCodeGate
from hosting.gate.cookies import SecureCookies, cookie_secret
from hosting.gate.openid_sign_in import SignInGate, auth_secrets
from hosting.gate.trusted_hosts import TrustedHosts
from hosting.limits.sessions import SessionLimits
from hosting.limits.uploads import UploadLimits
from hosting.metrics import RerunTimer
from hosting.settings import Gate, Settings


def middleware(settings: Settings) -> list[Middleware]:
    """Return the middleware; the first one receives a request first.

    Raises:
        SettingError: The gate cannot be set up.
    """
    is_embedded = bool(settings.embedded_by)
    cookies = [Middleware(SecureCookies, is_embedded=is_embedded)] if settings.is_https else []
    trusted_hosts = Middleware(TrustedHosts, settings=settings)
    limits = [
        Middleware(SessionLimits, settings=settings),
        Middleware(UploadLimits, settings=settings),
        Middleware(RerunTimer),
    ]
    return [*cookies, trusted_hosts, *_gate(settings), *limits]


def _gate(settings: Settings) -> list[Middleware]:
    match settings.gate:
        case Gate.OPEN:
            return []
        case Gate.CODE:
            return [Middleware(ClassCodeGate, settings=settings, secret=cookie_secret(settings))]
        case Gate.OIDC:
            return [Middleware(SignInGate, settings=settings)]


def streamlit_secrets(settings: Settings) -> dict[str, Any] | None:
    """Return the secrets that ``st.login`` needs; None if nobody signs in.

    Raises:
        SettingError: The secret that signs cookies cannot be kept.
    """
    if settings.gate is not Gate.OIDC:
        return None
    return {"auth": auth_secrets(settings, cookie_secret(settings))}
