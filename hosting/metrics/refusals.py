"""Counts what was refused, so that the operator sees which limit is met."""

from enum import StrEnum

from prometheus_client import Counter

from hosting.metrics.times import REGISTRY

REFUSALS = Counter("playground_refusals", "What was refused.", ["kind"], registry=REGISTRY)
DELAYED = Counter(
    "playground_clicks_delayed", "Clicks that came too fast and had to wait.", registry=REGISTRY
)


class Refused(StrEnum):
    """What somebody wanted."""

    ADDRESS = "address"  # anything by an unknown name, or a websocket from a foreign page
    STRANGER = "stranger"  # anything, without having come through the gate
    CODE = "code"  # to come in with a wrong code, or with one more after too many
    VISITOR = "visitor"  # to come in with the right code, after many others of the same address
    PAGE = "page"  # a page while the playground was full
    SESSION = "session"  # its websocket
    MESSAGE = "message"  # to send an address that is too long through it, or text
    UPLOAD = "upload"
    EXPERIMENT = "experiment"
    LAB = "lab"


for each in Refused:
    REFUSALS.labels(each)  # told as 0 before the first


def note(kind: Refused) -> None:
    """Count one."""
    REFUSALS.labels(kind).inc()
