"""Many students at once, each with a tab, a pause, and a click."""

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass, field

from websockets.exceptions import WebSocketException

from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.plan import Level, Plan
from benchmarks.run import Run, times
from benchmarks.sample import Sample
from benchmarks.server import MEGABYTE, Apps
from benchmarks.session import RUN_SECONDS, Session
from benchmarks.student import click, lesson_addresses

ARRIVAL_SECONDS = 0.07  # from one session to the next
GRADED_SESSIONS = 150
TIME = Budget(statistic=Statistic.P95, limit=200.0)
NO_ERROR = Budget(statistic=Statistic.MAX, limit=0.0)
HOW = (
    "Each session opens a lesson by its address, then clicks every 5 to 10 s (0.5 to 1 s where it"
    " is alone): most clicks use a random control or button of a step, one of seven goes to"
    " another page; on the empty page a click is a rerun. Clicks count once all sessions are open."
    " Clients and server share the processors. An exception, a lost connection, a run over"
    f" {RUN_SECONDS:g} s or an experiment that did not run is an error."
)


@dataclass(slots=True)
class LoadRun:
    """The clicks and errors of a number of sessions."""

    level: Level
    is_over: float = float("inf")
    arrived: int = 0
    clicks: list[Run] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def arrive(self) -> None:
        """Count a session in; the clock starts with the last one."""
        self.arrived += 1
        if self.arrived == self.level.sessions:
            self.is_over = time.perf_counter() + self.level.seconds


def measure(plan: Plan, apps: Apps) -> Section:
    """Load both apps at each level, one after the other."""
    figures: list[Measurement] = []
    remarks = []
    for level in plan.levels:
        blank = asyncio.run(_load(level, apps.empty.port))
        load = asyncio.run(_load(level, apps.playground.port))
        figures += _figures(load, blank)
        remarks += [
            f"{level.sessions} sessions: {len(load.clicks)} clicks"
            f" ({len(blank.clicks)} on the empty page).",
            *(f"{count} × {error}." for error, count in Counter(load.errors).items()),
        ]
    used = apps.playground.process.memory_info().rss / MEGABYTE
    figures.append(
        Measurement(
            id="load.memory", what="web process afterwards", unit="MB", sample=Sample((used,))
        )
    )
    return Section(title="Load", how=HOW, figures=tuple(figures), remarks=tuple(remarks))


def _figures(load: LoadRun, empty: LoadRun) -> list[Measurement]:
    count = load.level.sessions
    is_graded = count == GRADED_SESSIONS
    return [
        Measurement(
            id=f"load.{count}.time",
            what=f"click, {count} sessions",
            unit="ms",
            sample=times(load.clicks),
            empty=times(empty.clicks),
            budget=TIME if is_graded else None,
        ),
        Measurement(
            id=f"load.{count}.errors",
            what=f"errors, {count} sessions",
            unit="",
            sample=Sample((float(len(load.errors)),)),
            empty=Sample((float(len(empty.errors)),)),
            budget=NO_ERROR if is_graded else None,
        ),
    ]


async def lessons(port: int) -> list[str]:
    """The addresses that sessions begin at."""
    async with Session(port) as session:
        await session.visit()
        return lesson_addresses(session) or [""]


async def _load(level: Level, port: int) -> LoadRun:
    addresses = await lessons(port)
    load = LoadRun(level)
    async with asyncio.TaskGroup() as sessions:
        for number in range(level.sessions):
            address = addresses[number % len(addresses)]
            sessions.create_task(attend(load, port, address, random.Random(number)))
            await asyncio.sleep(ARRIVAL_SECONDS)
    return load


async def attend(load: LoadRun, port: int, address: str, chance: random.Random) -> None:
    """One session, from its first visit to the end."""
    is_counted = False
    try:
        async with Session(port) as session:
            load.errors += (await session.visit(address)).errors
            load.arrive()
            is_counted = True
            while True:
                await asyncio.sleep(chance.uniform(*load.level.think_seconds))
                if time.perf_counter() > load.is_over:
                    return
                run = await click(session, chance)
                load.errors += run.errors
                if load.is_over < float("inf"):
                    load.clicks.append(run)
    except (OSError, WebSocketException, TimeoutError) as error:
        load.errors.append(f"{type(error).__name__}: {error}"[:120])
        if not is_counted:
            load.arrive()
