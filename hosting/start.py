"""What happens before the server is there: settings that cannot be used end it with a sentence."""

import logging
import sys
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route
from streamlit import config

from hosting import allocation, cluster, ending, health, logs, progress, settings, web_server
from hosting.gate.trusted_hosts import is_loopback
from hosting.limits import experiments, long_headers, slow_readers, uploads
from hosting.metrics import route as metrics
from hosting.parsing import SettingError
from hosting.stack import secrets, stack
from playground.compute import gpu_plan
from playground.compute.gpu_plan import GpuPolicy
from playground.sandbox.jail import consent
from playground.sandbox.quotas import QUOTAS

_log = logging.getLogger(__name__)


def middleware() -> list[Middleware]:
    """The middleware that the operator's settings ask for; leaves Python where they contradict."""
    try:
        progress.check(settings.current())
        cluster.check(settings.current())
        _check_consent(settings.current())
        _check_path()
        return stack(settings.current())
    except SettingError as error:
        sys.exit(f"Torch Playground does not start. {error}")


def _check_consent(chosen: settings.Settings) -> None:
    """Refuse to run code without the jail on a server that other computers reach.

    Raises:
        SettingError: It has a public address, or listens to more than this computer.
    """
    if consent.is_given() and (chosen.public_address or not is_loopback(web_server.host())):
        raise SettingError(
            f"{consent.VARIABLE} is for a server that only this computer reaches: then "
            "PLAYGROUND_PUBLIC_ADDRESS must be empty, and server.address 127.0.0.1."
        )


def _check_path() -> None:
    """Refuse a base path: gate and limits know the paths of Streamlit without one.

    Raises:
        SettingError: There is one.
    """
    if str(config.get_option("server.baseUrlPath")).strip("/"):
        raise SettingError(
            "server.baseUrlPath (STREAMLIT_SERVER_BASE_URL_PATH) must be empty: the playground "
            "needs a host name of its own."
        )


def secrets_of_streamlit() -> dict[str, Any] | None:
    """What ``st.login`` needs; leaves Python where the settings contradict.

    Streamlit signs with one secret who has signed in, and with another who is about to. Both become
    ours, so one replica, or this one after a restart, ends what another began.
    """
    try:
        told = secrets(settings.current())
    except SettingError as error:
        sys.exit(f"Torch Playground does not start. {error}")
    if told is not None:
        config.set_option("server.cookieSecret", told["auth"]["cookie_secret"])
    return told


def routes() -> list[BaseRoute]:
    """The addresses for the operator; both look themselves who asks."""
    return [Route("/api/health", health.answer), Route("/api/metrics", metrics.answer)]


def begin() -> None:
    """Log as the operator wants it, and hold experiments and lab runs to the numbers given.

    Raises:
        SettingError: The lab has no jail, and uvicorn was told to listen to other computers.
    """
    chosen = settings.current()
    _check_consent(chosen)
    logs.start(chosen)
    _log.info("the server starts at %s; its gate is %s", web_server.url(), chosen.gate)
    ending.be_brief()
    long_headers.take()
    allocation.give_back_early()
    uploads.keep_in_memory()
    slow_readers.hang_up()
    experiments.enforce(chosen)
    gpu_plan.adopt(
        GpuPolicy(
            experiments_at_once=chosen.gpu_experiments_at_once,
            memory_percent=chosen.gpu_memory_share,
        )
    )
    QUOTAS.allow(per_session=chosen.lab_runs_per_minute, together=chosen.lab_runs_per_minute_in_all)


def end() -> None:
    """Say that everything that was begun has ended."""
    _log.info("the server has stopped")
