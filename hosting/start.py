"""What happens before the server is there: settings that cannot be used end it with a sentence."""

import logging
import sys
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route
from streamlit import config

from hosting import allocation, cluster, ending, health, logs, progress, settings
from hosting.limits import experiments, long_headers, slow_readers, uploads
from hosting.metrics import route as metrics
from hosting.parsing import SettingError
from hosting.stack import secrets, stack
from playground.compute import gpu_plan
from playground.compute.gpu_plan import GpuPolicy
from playground.sandbox.quotas import QUOTAS

_log = logging.getLogger(__name__)


def middleware() -> list[Middleware]:
    """The middleware that the operator's settings ask for; leaves Python where they contradict."""
    try:
        progress.check(settings.current())
        cluster.check(settings.current())
        return stack(settings.current())
    except SettingError as error:
        sys.exit(f"Torch Playground does not start. {error}")


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
    """Log as the operator wants it, and hold experiments and lab runs to the numbers given."""
    chosen = settings.current()
    logs.start(chosen)
    _log.info("the server starts; its gate is %s", chosen.gate)
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
