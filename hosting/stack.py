"""The middleware of the server, as the settings ask for it; the first one meets a request first."""

from typing import Any

from starlette.middleware import Middleware

from hosting import secret
from hosting.gate.door import ClassDoor
from hosting.gate.encrypted import EncryptedCookies
from hosting.gate.sign_in import SignInDoor, auth_section
from hosting.gate.trusted_hosts import TrustedHosts
from hosting.limits.sessions import SessionLimits
from hosting.limits.uploads import UploadLimits
from hosting.metrics.reruns import RerunClock
from hosting.settings import Gate, Settings


def stack(settings: Settings) -> list[Middleware]:
    """The middleware before Streamlit: TLS for cookies, names, the gate, the limits, a clock.

    Raises:
        SettingError: The gate cannot be set up.
    """
    encrypted = [Middleware(EncryptedCookies)] if settings.is_https else []
    trusted = Middleware(TrustedHosts, settings=settings)
    limits = [
        Middleware(SessionLimits, settings=settings),
        Middleware(UploadLimits, settings=settings),
        Middleware(RerunClock),
    ]
    return [*encrypted, trusted, *_gate(settings), *limits]


def _gate(settings: Settings) -> list[Middleware]:
    match settings.gate:
        case Gate.OPEN:
            return []
        case Gate.CODE:
            return [Middleware(ClassDoor, settings=settings, secret=secret.of(settings))]
        case Gate.OIDC:
            return [Middleware(SignInDoor, settings=settings)]


def secrets(settings: Settings) -> dict[str, Any] | None:
    """What Streamlit must know to sign visitors in; None where nobody signs in.

    Raises:
        SettingError: There is no place for the secret that signs cookies.
    """
    if settings.gate is not Gate.OIDC:
        return None
    return {"auth": auth_section(settings, secret.of(settings))}
