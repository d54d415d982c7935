"""A vote in which one of two web processes behind the proxy is killed.

Students sit in the lesson of the question, half on either process. Once half of them have been told
that their answer is counted, one process is killed. Its students come back as browsers do, through
nginx, to the other one, and answer again where their banner still asks.
"""

import asyncio
import http.client
import json
import random
import shutil
import sqlite3
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from websockets.protocol import State

from benchmarks.class_load.results import NO_ERROR
from benchmarks.class_load.vote import DATABASE
from benchmarks.measurement import Measurement, Section
from benchmarks.sample import Sample
from hosting.progress.database import open_database
from hosting.progress.database_poll import DatabasePoll
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import Poll, SpillFile
from hosting.progress.store import Store
from hosting.settings import Settings
from playground.catalog import Language
from tests.deploy.nginx import BEHIND, proxied
from tests.deploy.students import CUT, Tab
from tests.hosting.browser import Browser
from tests.hosting.server import CODE, Server, serving
from ui.language import table

LESSON, STEP, ANSWER = "tensors", "same_device_error", "works"
COUNTED = table()["live.here-voted"].said(Language.EN)
SPREAD_SECONDS = 20.0  # in which all answer
LOOK_SECONDS = 2.0  # between two looks at the banner, as in ui/assets/page.js
TIMEOUT_SECONDS = 240.0  # until every student was told, by the process that is left
LOST = (*CUT, http.client.HTTPException)
HOW = (
    "In the vote with a killed process, two web processes share a database behind nginx, as"
    f" shipped. All students have the lesson open and answer within {SPREAD_SECONDS:g} s. Once half"
    " of them were told that their answer is counted, one process is killed (SIGKILL). A vote is"
    " lost if the database does not have it at the end, or if a student who was told that it is"
    " counted is asked again."
)


@dataclass(eq=False)
class Voter:
    """A student in the vote.

    Attributes:
        confirmed: The student was told that the answer is counted, before the kill.
        presses: How often the student answered.
        away: From the kill until the page was back, in seconds, where it was cut.
        is_forgotten: Was asked again after the confirmation.
    """

    browser: Browser
    chance: random.Random
    confirmed: bool = False
    presses: int = 0
    away: list[float] = field(default_factory=list)
    is_forgotten: bool = False

    def come_in(self) -> None:
        """Say the class code; the proxy chooses the process."""
        self.browser.open("/")
        assert self.browser.enter(CODE).status == 303

    async def sit_down(self) -> None:
        """Open the lesson."""
        self.tab = await Tab(self.browser).__aenter__()
        await self.tab.visit(LESSON, f"step={STEP}&panel_plain=true")

    async def vote(self, asked: asyncio.Event, killed: asyncio.Event) -> None:
        """Answer once asked; return when told so by a process that lives."""
        await asked.wait()
        await asyncio.sleep(self.chance.uniform(0, SPREAD_SECONDS))
        cut_at, is_pressed = 0.0, False
        while True:
            try:
                if self.tab._socket.state is not State.OPEN:
                    cut_at = cut_at or time.perf_counter()
                    await self.sit_down()
                    self.away.append(time.perf_counter() - cut_at)
                    cut_at, is_pressed = 0.0, False
                was_killed = killed.is_set()
                banner = await asyncio.to_thread(self.look)
                if banner == COUNTED:
                    self.confirmed = True
                    if was_killed:
                        return
                elif banner and not is_pressed:
                    self.is_forgotten |= self.confirmed
                    is_pressed = await self.press()
            except LOST:
                cut_at = cut_at or time.perf_counter()
                with suppress(*LOST):
                    await self.tab.__aexit__()
            await asyncio.sleep(LOOK_SECONDS * self.chance.uniform(0.8, 1.2))

    def look(self) -> str:
        """Return what the banner says on the page of the question."""
        answer = self.browser.open("/api/poll?lang=en")
        return str(json.loads(answer.text)["here"]) if answer.status == 200 else ""

    async def press(self) -> bool:
        """Answer; return False while the page does not know that it is asked."""
        await self.tab.visit(LESSON, f"step={STEP}&panel_plain=true")  # the page knows the poll
        button = self.tab.by_key(f"{LESSON}-{STEP}-answer-{ANSWER}")
        if button is None:
            return False
        self.presses += 1
        await self.tab.give(button, ("trigger_value", True))
        return True


def is_possible() -> bool:
    """Return whether nginx is installed."""
    return shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin") is not None


def section(students: int, folder: Path) -> Section:
    """Let so many vote, and kill one of two processes meanwhile."""
    settings = {
        "data_folder": str(folder),
        "most_sessions_per_address": str(2 * students + 10),
        "visitors_per_minute": str(2 * students + 10),
        **BEHIND,
    }
    with ExitStack() as stack:
        replicas = []
        for number in range(2):
            own = folder / f"replica-{number}"
            own.mkdir()
            replicas.append(stack.enter_context(serving(own, without=["jail"], **settings)))
        at_proxy = folder / "nginx"
        at_proxy.mkdir()
        proxy = stack.enter_context(proxied(at_proxy, [each.port for each in replicas]))
        store = Store(open_database(Settings(data_folder=folder)))
        stack.callback(store.close)
        store.open()
        poll = DatabasePoll(ProgressWriter(store, SpillFile(at_proxy)))
        voters = [Voter(Browser(proxy), random.Random(number)) for number in range(students)]
        confirmed = asyncio.run(_hold(voters, poll, replicas[0]))
    with sqlite3.connect(folder / DATABASE) as database:
        [kept] = database.execute("SELECT count(*) FROM votes").fetchone()
    return result(voters, confirmed, kept)


async def _hold(voters: list[Voter], poll: DatabasePoll, doomed: Server) -> int:
    """Hold the vote; return how many had been told when the process was killed."""
    for voter in voters:
        await asyncio.to_thread(voter.come_in)
        await voter.sit_down()
    asked, killed = asyncio.Event(), asyncio.Event()
    await asyncio.to_thread(poll.ask, Poll(lesson=LESSON, step=STEP))
    asked.set()
    async with asyncio.timeout(TIMEOUT_SECONDS), asyncio.TaskGroup() as tasks:
        for voter in voters:
            tasks.create_task(voter.vote(asked, killed))
        while (confirmed := sum(voter.confirmed for voter in voters)) < len(voters) / 2:
            await asyncio.sleep(0.1)
        left = await asyncio.to_thread(_kill, doomed)
        killed.set()
    for voter in voters:
        await voter.tab.__aexit__()
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    return confirmed


def _kill(replica: Server) -> list[psutil.Process]:
    """Kill a web process with SIGKILL; return the processes that it leaves behind."""
    assert replica.process is not None
    left = psutil.Process(replica.process.pid).children(recursive=True)
    replica.process.kill()
    replica.process.wait()
    return left


def result(voters: list[Voter], confirmed: int, kept: int) -> Section:
    """Make the section.

    Args:
        voters: All students.
        confirmed: How many were told that their answer is counted, before the kill.
        kept: Votes in the database at the end.
    """
    away = Sample.of(1e3 * seconds for voter in voters for seconds in voter.away)
    lost = len(voters) - kept + sum(voter.is_forgotten for voter in voters)
    again = sum(voter.presses > 1 for voter in voters)
    name = f"class-load.killed.{len(voters)}"
    counts = {
        "confirmed": ("students with a counted answer, before the kill", confirmed, None),
        "moved": ("students who were moved to the other process", len(away.readings), None),
        "again": ("students who answered again", again, None),
        "lost": ("votes lost", lost, NO_ERROR),
    }
    return Section(
        title=f"A vote of {len(voters)} in which one of two web processes is killed",
        how=HOW,
        figures=(
            *(
                Measurement(
                    id=f"{name}.{each}",
                    what=what,
                    unit="",
                    sample=Sample((float(n),)),
                    budget=budget,
                )
                for each, (what, n, budget) in counts.items()
            ),
            Measurement(id=f"{name}.away", what="page away", unit="ms", sample=away),
        ),
    )
