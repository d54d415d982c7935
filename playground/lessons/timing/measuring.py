"""Base class of the steps that measure times, and the formats of times."""

from typing import ClassVar

from playground.machines import Machine
from playground.steps import Step
from playground.units import short

HEAD = """\
import time

import torch

device = "cuda:0" if torch.cuda.is_available() else "cpu"


def take_time(call, waits=True, repeats=9, device=device):
    times = []
    for _ in range(1 + repeats):  # the first call warms up
        if device != "cpu":
            torch.cuda.synchronize(device)
        start = time.perf_counter()
        call()
        if waits and device != "cpu":
            torch.cuda.synchronize(device)
        times.append(time.perf_counter() - start)
    return min(times[1:])  # other work only makes a time longer
"""


class Measuring(Step):
    """A step whose program measures times: it repeats each call and prints the shortest time.

    The program always runs on the real devices of this server: simulated devices compute on the
    CPU, so their times would mean nothing.
    """

    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True

    machine: Machine = Machine()

    def host(self) -> None:
        """Return None: no simulated devices."""


def format_seconds(seconds: float) -> str:
    """Format a time in a suitable unit.

    >>> format_seconds(0.0123), format_seconds(4e-6), format_seconds(2.0)
    ('12.3 ms', '4 µs', '2 s')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{round(seconds / unit, 2 - len(str(int(seconds / unit))) + 1):g} {name}"
    return f"{short(seconds * 1e6)} µs"


def factor(ratio: float) -> str:
    """Format a ratio of times with as many digits as a measurement has.

    >>> factor(104.2), factor(2.04), factor(0.9)
    ('104', '2', '0.9')
    """
    return f"{round(ratio, 1 if ratio < 10 else None):g}"


def ratio_id(ratio: float, *bounds: float, ids: tuple[str, ...]) -> str:
    """Return the id of the range that contains a ratio.

    >>> ratio_id(2.0, 1.5, 5.0, ids=("about_as_long", "several", "many"))
    'several'
    """
    return ids[sum(ratio > bound for bound in bounds)]
