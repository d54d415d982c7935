"""How many experiments may be started in a minute; counted on a server, not in a page's test."""

import math

from hosting.buckets import Buckets
from hosting.metrics import refusals
from hosting.metrics.refusals import Refused
from hosting.settings import Settings
from playground.errors import TooManyExperimentsError

_limits: list[Buckets] = []


def enforce(settings: Settings) -> None:
    """Begin to count, for this process."""
    each, together = settings.experiments_per_minute, settings.experiments_per_minute_in_all
    _limits[:] = [Buckets(each=each, together=together)]


def relax() -> None:
    """Stop counting."""
    _limits.clear()


def admit(session: str) -> None:
    """Count one experiment of a session, from a cache or not.

    Raises:
        TooManyExperimentsError: ``experiments_too_often``: it must wait ``values["seconds"]``.
    """
    for buckets in _limits:
        wait = buckets.take(session)
        if wait:
            refusals.note(Refused.EXPERIMENT)
            raise TooManyExperimentsError("experiments_too_often", seconds=math.ceil(wait))
