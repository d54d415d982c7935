"""A class in the lab, a third of it hostile, while everybody else reads lessons."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

from websockets.exceptions import WebSocketException

from benchmarks.load import ARRIVAL_SECONDS, LoadRun, attend, lessons
from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.plan import Level, Plan
from benchmarks.run import Run, times
from benchmarks.sample import Sample
from benchmarks.server import Apps
from benchmarks.session import Session
from ui.lab.url_state import CODE, to_link

STUDENTS = 50
READERS = 50
ADDRESS = "lab"
RUN = "lab-run"
TIME = Budget(statistic=Statistic.P95, limit=300.0)
PRESS = Budget(statistic=Statistic.P95, limit=3_000.0)
NO_ERROR = Budget(statistic=Statistic.MAX, limit=0.0)
HONEST = (
    "import torch\nX = torch.rand(3, 4)\nX @ X.T",
    "from torch import nn\nnet = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))\nnet",
)
HOSTILE = (  # of which every third student has one that holds on to what it gets
    "while True:\n    pass",
    "import time\ntime.sleep(100)",
    "import torch\nx = torch.ones(1, requires_grad=True)\nwhile True:\n    x.sum().backward()",
)
HOW = (
    f"{READERS} sessions click through lessons, as under load, first alone, then beside {STUDENTS}"
    " students in the lab, who run a cell every 5 to 10 s. Every third of these has a hostile cell:"
    " an endless loop, a sleep, or a loop that pretends to train. Clients, server and sandbox share"
    " the processors."
)


@dataclass(slots=True)
class Class:
    """The times and errors of the students in the lab."""

    pressed: list[Run] = field(default_factory=list)
    hostile: list[Run] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    is_over: bool = False


def measure(plan: Plan, apps: Apps) -> Section:
    """Load the lessons without and with a class in the lab."""
    level = Level(min(READERS, plan.levels[-1].sessions), plan.levels[-1].seconds)
    port = apps.playground.port
    alone, _ = asyncio.run(_together(level, port, 0))
    beside, students = asyncio.run(_together(level, port, min(STUDENTS, level.sessions)))
    errors = Counter([*beside.errors, *students.errors])
    return Section(
        title="Lab under load",
        how=HOW,
        figures=(
            Measurement(
                id="lab-load.readers",
                what="click in a lesson, beside the lab",
                unit="ms",
                sample=times(beside.clicks),
                budget=TIME,
            ),
            Measurement(
                id="lab-load.alone",
                what="click in a lesson, without the lab",
                unit="ms",
                sample=times(alone.clicks),
            ),
            Measurement(
                id="lab-load.press",
                what="press of Run in the lab, of those who are not hostile",
                unit="ms",
                sample=times(students.pressed),
                budget=PRESS,
            ),
            Measurement(
                id="lab-load.hostile",
                what="press of Run in the lab, of those who are",
                unit="ms",
                sample=times(students.hostile),
            ),
            Measurement(
                id="lab-load.errors",
                what="errors of both",
                unit="",
                sample=Sample((float(errors.total()),)),
                budget=NO_ERROR,
            ),
        ),
        remarks=(
            f"{len(beside.clicks)} clicks ({len(alone.clicks)} alone),"
            f" {len(students.pressed) + len(students.hostile)} runs.",
            *(f"{count} × {error}." for error, count in errors.items()),
        ),
    )


async def _together(level: Level, port: int, students: int) -> tuple[LoadRun, Class]:
    load_run, group = LoadRun(level), Class()
    addresses = await lessons(port)
    async with asyncio.TaskGroup() as sessions:
        for number in range(students):
            sessions.create_task(_study(group, port, number, level))
            await asyncio.sleep(ARRIVAL_SECONDS)
        readers = []
        for number in range(level.sessions):
            address = addresses[number % len(addresses)]
            reading = attend(load_run, port, address, random.Random(number))
            readers.append(sessions.create_task(reading))
            await asyncio.sleep(ARRIVAL_SECONDS)
        await asyncio.wait(readers)
        group.is_over = True
    return load_run, group


async def _study(group: Class, port: int, number: int, level: Level) -> None:
    """One student: opens the lab by a link, and runs the cell again and again."""
    is_honest = bool(number % 3)
    cells, pressed = (HONEST, group.pressed) if is_honest else (HOSTILE, group.hostile)
    link = f"{CODE}={to_link(cells[number // 3 % len(cells)])}"
    chance = random.Random(number)
    try:
        async with Session(port) as session:
            group.errors += (await session.visit(ADDRESS, query=link)).errors
            while not group.is_over:
                await asyncio.sleep(chance.uniform(*level.think_seconds))
                button = [each for each in session.widgets.values() if each.key == RUN]
                if not button:
                    group.errors.append("the lab has no button to run")
                    return
                run = await session.give(button[0], ("trigger_value", True))
                pressed.append(run)
                errors = [*run.errors, *(await session.rerun()).errors]  # draws what came
                group.errors += errors if is_honest else ()  # the others wait for one another
    except (OSError, WebSocketException, TimeoutError) as error:
        group.errors.append(f"{type(error).__name__}: {error}"[:120])
