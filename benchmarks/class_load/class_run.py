"""All students of a class: they come over a while, and work until it is over."""

import asyncio
import contextlib
import functools
import random
import time
from collections import Counter
from dataclasses import dataclass, field

from websockets.exceptions import WebSocketException

from benchmarks.class_load import action, vote
from benchmarks.class_load.action import Action, TimedAction
from benchmarks.class_load.banner import Banner
from benchmarks.class_load.files import File
from benchmarks.class_load.hosted import Browser
from benchmarks.class_load.step_click import RecentSettings
from benchmarks.class_load.student import VirtualStudent
from benchmarks.class_load.vote import Votes
from benchmarks.plan import Level
from benchmarks.sample import Sample

ARRIVAL_SECONDS = 0.2  # from one student to the next
TICK_SECONDS = 0.05
GONE = (OSError, WebSocketException, TimeoutError)


@dataclass(slots=True)
class ClassRun:
    """The times and errors of a class.

    Attributes:
        began: When all had arrived; what was done before does not count, but its errors do.
        lateness: How late the clients' own clock rang, in milliseconds: so much may be theirs.
    """

    level: Level
    began: float = float("inf")
    ended: float = float("inf")
    arrived: int = 0
    acts: list[TimedAction] = field(default_factory=list)
    arrivals: list[TimedAction] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    lateness: list[float] = field(default_factory=list)
    known: RecentSettings = field(default_factory=RecentSettings)
    votes: Votes = field(default_factory=Votes)
    is_complete: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, act: TimedAction) -> None:
        """Count an act."""
        self.errors.update(f"{act.kind}: {error}" for error in act.errors)
        if act.kind in (Action.DOOR, Action.ARRIVAL):
            self.arrivals.append(act)
        elif self.began <= act.at - act.milliseconds / 1e3:
            self.acts.append(act)

    def arrive(self) -> None:
        """Count a student in; the clock starts with the last one."""
        self.arrived += 1
        if self.arrived == self.level.sessions:
            self.began = time.perf_counter()
            self.ended = self.began + self.level.seconds
            self.is_complete.set()

    def times(self, of: Action) -> Sample:
        """The time that something took, in milliseconds."""
        return Sample.of(act.milliseconds for act in (*self.arrivals, *self.acts) if act.kind is of)


async def work(load: ClassRun, port: int, files: list[File]) -> None:
    """Let the class come, work, and go."""
    clock = asyncio.create_task(_measure_lateness(load))
    try:
        async with asyncio.TaskGroup() as students:
            teach = vote.teach(load.votes, port, load.is_complete, load.level.seconds)
            students.create_task(teach)
            for number in range(load.level.sessions):
                students.create_task(_attend(load, port, files, number))
                await asyncio.sleep(ARRIVAL_SECONDS)
    finally:
        clock.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await clock


async def _attend(load: ClassRun, port: int, files: list[File], number: int) -> None:
    """One student, from the door to the end."""
    chance = random.Random(number)
    browser, following = Browser(port), None
    is_counted, voted = False, ""

    def pause() -> float:
        return chance.uniform(*load.level.think_seconds)

    try:
        asked = time.perf_counter()
        await browser.enter()
        now = time.perf_counter()
        load.note(TimedAction(Action.DOOR, now, (now - asked) * 1e3))
        banner = Banner(port, browser.headers, chance)
        following = asyncio.create_task(banner.follow())
        async with VirtualStudent(port, browser, load.known, files, chance, load.note) as student:
            await student.arrive("")
            await asyncio.sleep(pause())
            await student.do(Action.SWITCH, pause)
            load.arrive()
            is_counted = True
            while True:
                await asyncio.sleep(pause())
                if time.perf_counter() > load.ended:
                    return
                if banner.latest and banner.poll not in ("", voted):
                    voted = banner.poll
                    note = functools.partial(load.votes.note, voted, number)
                    if await student.vote(banner.latest, pause, note):
                        await banner.ask()
                        if banner.poll != voted:
                            load.votes.withdraw(voted, number)
                else:
                    await student.do(action.draw(chance), pause)
    except GONE as error:
        load.errors[f"lost: {type(error).__name__} {error}"[:120]] += 1
        if not is_counted:
            load.arrive()
    finally:
        if following is not None:
            following.cancel()


async def _measure_lateness(load: ClassRun) -> None:
    while True:
        asked = time.perf_counter()
        await asyncio.sleep(TICK_SECONDS)
        now = time.perf_counter()
        if now >= load.began:
            load.lateness.append((now - asked - TICK_SECONDS) * 1e3)
