"""A vote every minute while the class works: what the teacher asks, and when the wall shows it."""

import asyncio
import re
import sqlite3
import time
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.class_load.hosted import TEACHER_CODE, Browser
from benchmarks.sample import Sample
from benchmarks.session import Session

EVERY_SECONDS = 60.0
LAST_SECONDS = 40.0  # before the end; a later question would not be answered by all
WALL_SECONDS = 1.0  # how often the projector's page asks
ASK, END = "live-ask", "live-end"
ANSWERED = re.compile(r"class=\"pj-count\"><b>(\d+) (?:of \d+ )?answered")
DATABASE = "progress.sqlite"


@dataclass(slots=True)
class Votes:
    """The votes of a class, and their effect.

    Attributes:
        given: By poll: when each student's answer was sent.
        shown: By the number of the poll: a time, and how many answers the wall showed then.
        lost: Votes that are not in the database at the end; negative where it has more.
    """

    polls: int = 0
    given: dict[str, dict[int, float]] = field(default_factory=dict)
    shown: dict[int, list[tuple[float, int]]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    lost: int = 0

    def note(self, poll: str, student: int) -> None:
        """Note an answer that is sent now; the first one of a poll makes it the latest."""
        if poll not in self.given:
            self.order.append(poll)
        self.given.setdefault(poll, {})[student] = time.perf_counter()

    def withdraw(self, poll: str, student: int) -> None:
        """Drop an answer that came after the end of its poll, and counts for none or the next."""
        self.given[poll].pop(student)

    @property
    def latencies(self) -> Sample:
        """From the n-th answer until the wall shows that n have answered, in milliseconds.

        >>> votes = Votes(given={"a": {1: 10.0, 2: 11.0}}, order=["a"])
        >>> votes.shown = {0: [(9.0, 0), (11.5, 1), (12.0, 2)]}
        >>> votes.latencies.readings
        (1500.0, 1000.0)
        """
        found = []
        for number, poll in enumerate(self.order):
            for place, sent in enumerate(sorted(self.given[poll].values()), start=1):
                seen = [at for at, count in self.shown.get(number, ()) if count >= place]
                found += [(seen[0] - sent) * 1e3] if seen else []
        return Sample.of(found)

    def compare(self, folder: Path) -> None:
        """Count the votes that the database does not have."""
        with sqlite3.connect(folder / DATABASE) as database:
            rows = database.execute("SELECT poll, count(*) FROM votes GROUP BY poll").fetchall()
        kept = dict(rows)
        self.lost = sum(len(each) - kept.get(poll, 0) for poll, each in self.given.items())


class Wall(Session):
    """The projector's page, which asks for itself every second."""

    answered = -1
    fragment = ""

    def on_message(self, message: ForwardMsg) -> None:
        """Read how many have answered."""
        match message.WhichOneof("type"):
            case "auto_rerun":
                self.fragment = message.auto_rerun.fragment_id
            case "delta":
                found = ANSWERED.search(message.delta.new_element.html.body)
                if found:
                    self.answered = int(found[1])

    async def look(self) -> None:
        """Draw the page again, as a browser does by itself."""
        await self._run(self._request(page=self._page, fragment=self.fragment))


async def teach(votes: Votes, port: int, until: "asyncio.Event", seconds: float) -> None:
    """Ask a question every minute, and watch the wall, until the class is over.

    Args:
        votes: Gets what the wall shows.
        port: Of the server.
        until: Set when the class is complete.
        seconds: How long it then works.
    """
    teacher = Browser(port)
    await teacher.enter(TEACHER_CODE)
    async with Session(port, teacher.headers) as page, Wall(port, teacher.headers) as wall:
        await page.visit("teacher")
        await wall.visit("projector")
        await until.wait()
        began = time.perf_counter()
        while (now := time.perf_counter()) < began + seconds:
            if now >= began + votes.polls * EVERY_SECONDS and now < began + seconds - LAST_SECONDS:
                await _ask(page)
                votes.polls += 1
                wall.answered = -1
            await asyncio.sleep(WALL_SECONDS)
            await wall.look()
            shown = votes.shown.setdefault(votes.polls - 1, [])
            if shown or wall.answered == 0:  # before that it is the poll before
                shown.append((time.perf_counter(), wall.answered))


async def _ask(page: Session) -> None:
    """Ask on the teacher's page, which chooses the question."""
    for key in (END, ASK):
        button = next((each for each in page.widgets.values() if each.key == key), None)
        if button is not None:
            await page.give(button, ("trigger_value", True))
            await page.rerun()
