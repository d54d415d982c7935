"""What the steps that take times share: the top of their programs, and how times are told."""

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
    """A step whose program takes times; it repeats by itself and prints the shortest.

    The program runs on this server as it is, also where the visitor chose simulated devices: these
    compute on the CPU, so that a time of theirs would be invented.
    """

    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True

    machine: Machine = Machine()

    def host(self) -> None:
        """No simulated devices."""


def told(seconds: float) -> str:
    """A time in a fitting unit.

    >>> told(0.0123), told(4e-6), told(2.0)
    ('12.3 ms', '4 µs', '2 s')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{round(seconds / unit, 2 - len(str(int(seconds / unit))) + 1):g} {name}"
    return f"{short(seconds * 1e6)} µs"


def factor(ratio: float) -> str:
    """How many times as long, in as many digits as a measurement has.

    >>> factor(104.2), factor(2.04), factor(0.9)
    ('104', '2', '0.9')
    """
    return f"{round(ratio, 1 if ratio < 10 else None):g}"


def ratio_id(ratio: float, *bounds: float, ids: tuple[str, ...]) -> str:
    """The id of the range that a ratio lies in.

    >>> ratio_id(2.0, 1.5, 5.0, ids=("about_as_long", "several", "many"))
    'several'
    """
    return ids[sum(ratio > bound for bound in bounds)]
