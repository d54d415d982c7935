"""Start and end of the server: checks of the settings, middleware, log, limits, memory.

Settings that contradict each other end the process with one sentence.
"""

import ctypes
import logging
import sys
from importlib.util import find_spec
from typing import Any

from starlette.middleware import Middleware

from hosting import framework_internals, progress, settings
from hosting.class_code import ClassCodeGate
from hosting.cookies import SecureCookies, cookie_secret
from hosting.limits import SessionLimits, limit_experiments
from hosting.logs_and_metrics import RerunTimer, start_log
from hosting.openid_sign_in import SignInGate, auth_secrets
from hosting.setting_field import SettingError
from hosting.settings import Gate, Lab, Settings
from hosting.trusted_hosts import TrustedHosts, is_loopback
from hosting.upload_limits import UploadLimits, keep_in_memory
from playground.compute import gpu_quota
from playground.compute.gpu_quota import GpuPolicy
from playground.sandbox import jail
from playground.sandbox.jail import self_test
from playground.sandbox.quotas import QUOTAS
from playground.sandbox.training_limits import allow_training

MAX_HEAPS = 2
MAX_HEAP_BLOCK_BYTES = 128 * 1024  # a larger block is given back as soon as it is free
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # of glibc's mallopt
_log = logging.getLogger(__name__)


def middleware() -> list[Middleware]:
    """Return the middleware that the settings ask for; exit if they contradict each other."""
    try:
        chosen = settings.current()
        progress.check(chosen)
        check_ray(chosen)
        _check_consent(chosen)
        _check_base_path()
        return middleware_for(chosen)
    except SettingError as error:
        sys.exit(f"Torch Playground does not start. {error}")


def middleware_for(chosen: Settings) -> list[Middleware]:
    """Return the ASGI middleware before Streamlit; the first one receives a request first.

    Raises:
        SettingError: The gate cannot be set up.
    """
    is_embedded = bool(chosen.embedded_by)
    cookies = [Middleware(SecureCookies, is_embedded=is_embedded)] if chosen.is_https else []
    gate: list[Middleware] = []
    if chosen.gate is Gate.CODE:
        gate = [Middleware(ClassCodeGate, settings=chosen, secret=cookie_secret(chosen))]
    elif chosen.gate is Gate.OIDC:
        gate = [Middleware(SignInGate, settings=chosen)]
    return [
        *cookies,
        Middleware(TrustedHosts, settings=chosen),
        *gate,
        Middleware(SessionLimits, settings=chosen),
        Middleware(UploadLimits, settings=chosen),
        Middleware(RerunTimer),
    ]


def streamlit_secrets() -> dict[str, Any] | None:
    """Return the secrets of ``st.login``, None without OIDC; exit if they cannot be kept.

    Streamlit signs with one secret who has signed in, and with another who is about to. Both are
    set to ours, so that another replica, or this one after a restart, can complete a sign-in.
    """
    chosen = settings.current()
    if chosen.gate is not Gate.OIDC:
        return None
    try:
        secret = cookie_secret(chosen)
    except SettingError as error:
        sys.exit(f"Torch Playground does not start. {error}")
    framework_internals.set_cookie_secret(secret)
    return {"auth": auth_secrets(chosen, secret)}


def begin() -> None:
    """Start the log, and apply the settings to the running server.

    Raises:
        SettingError: The lab has no jail, and uvicorn listens to other computers; or uvicorn was
            given a base path.
    """
    chosen = settings.current()
    _check_consent(chosen)
    _check_base_path()
    start_log(chosen)
    url = framework_internals.server_url()
    _log.info("the server starts at %s; its gate is %s", url, chosen.gate)
    framework_internals.limit_shutdown_time()
    framework_internals.raise_header_limit()
    limit_heaps()
    keep_in_memory()
    framework_internals.close_slow_connections()
    limit_experiments(chosen)
    gpu_quota.set_policy(
        GpuPolicy(
            experiments_at_once=chosen.gpu_experiments_at_once,
            memory_percent=chosen.gpu_memory_share,
        )
    )
    if chosen.lab is Lab.OFF:
        jail.switch_off()
    allow_training(chosen.lab_training_seconds)
    QUOTAS.allow(per_session=chosen.lab_runs_per_minute, together=chosen.lab_runs_per_minute_in_all)


def end() -> None:
    """Log that everything has ended."""
    _log.info("the server has stopped")


def check_ray(chosen: Settings) -> None:
    """Check that Ray is installed if the settings name a cluster; connect to nothing.

    Raises:
        SettingError: It is not.
    """
    if chosen.ray_address and find_spec("ray") is None:
        raise SettingError(
            "PLAYGROUND_RAY_ADDRESS needs Ray, which is not installed: "
            "pip install -r requirements-ray.txt."
        )


def limit_heaps() -> bool:
    """Make glibc return freed memory to the system; return False if that is not possible.

    Many threads draw pages, and files come as blocks of megabytes. By default, glibc has a heap for
    each of many threads, and after the first large blocks puts all of them on these heaps, where a
    small block that stays keeps the rest from being returned.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return False
    options = {
        ARENA_MAX: MAX_HEAPS,
        MMAP_THRESHOLD: MAX_HEAP_BLOCK_BYTES,
        TRIM_THRESHOLD: MAX_HEAP_BLOCK_BYTES,
    }
    accepted = [mallopt(name, value) == 1 for name, value in options.items()]
    return all(accepted)


def _check_consent(chosen: Settings) -> None:
    """Check that a lab without the jail serves only this computer.

    Raises:
        SettingError: It has a public address, or listens to other computers.
    """
    is_exposed = bool(chosen.public_address) or not is_loopback(
        framework_internals.listening_host()
    )
    if self_test.is_unjailed_allowed() and is_exposed:
        raise SettingError(
            f"{self_test.UNJAILED_VARIABLE} is for a server that only this computer reaches: then "
            "PLAYGROUND_PUBLIC_ADDRESS must be empty, and server.address 127.0.0.1."
        )


def _check_base_path() -> None:
    """Check that there is no base path: gate and limits know Streamlit's paths without one.

    Raises:
        SettingError: There is one.
    """
    if framework_internals.base_path():
        raise SettingError(
            "server.baseUrlPath (STREAMLIT_SERVER_BASE_URL_PATH) and uvicorn's --root-path must be "
            "empty: the playground needs a host name of its own."
        )
