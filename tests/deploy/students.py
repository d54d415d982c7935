"""Students who click all the time, and whose pages must survive what happens to the server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.deploy.tab import CUT, Browser, Tab, come_back
from tests.waiting import LOOK_SECONDS, MAX_SECONDS

LESSON, STEP = "training", "take_devices"
NUMBER = f"{LESSON}-{STEP}-num_gpus"
NUMBERS = (1.0, 2.0, 3.0)
QUERY = f"step={STEP}&panel_plain=true"  # its controls are ordinary ones
THINKING_SECONDS = 0.2
Shown = dict[str, object]


@dataclass
class Student:
    """One student in the lesson: ``gpus`` came with the address, ``NUMBER`` by a click.

    Attributes:
        cuts: What was shown when the line was cut, and what once it was back.
        clicks: That were answered.
    """

    browser: Browser
    gpus: int
    cuts: list[tuple[Shown, Shown]] = field(default_factory=list)
    clicks: int = 0

    async def arrive(self) -> None:
        await self._open(f"gpus={self.gpus}&{QUERY}")
        assert self.tab.choices["gpus"] == ("double_value", float(self.gpus))

    async def click(self) -> None:
        """Choose another number; the page writes it into its address."""
        chosen = ("double_value", NUMBERS[self.clicks % len(NUMBERS)])
        widget = next(each for each in self.tab.widgets.values() if each.key == NUMBER)
        run = await self.tab.give(widget, chosen)
        assert not run.errors, run.errors
        assert self.tab.choices[NUMBER] == chosen
        self._shown, self._address = self.tab.choices, self.tab.query
        self.clicks += 1

    async def work(self, is_over: asyncio.Event) -> None:
        """Click until told to stop; come back to the address whenever the line is cut."""
        while not is_over.is_set():
            try:
                await self.click()
            except CUT:
                before = self._shown
                await self._open(self._address)
                self.cuts.append((before, self.tab.choices))
            await asyncio.sleep(THINKING_SECONDS)

    async def _open(self, query: str) -> None:
        self.tab: Tab = await come_back(self.browser, LESSON, query)
        self._shown, self._address = self.tab.choices, self.tab.query

    async def leave(self) -> None:
        await self.tab.__aexit__()


@asynccontextmanager
async def working(students: list[Student]) -> AsyncIterator[None]:
    """All of them click meanwhile; what one of them meets is raised here."""
    is_over = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        for student in students:
            tasks.create_task(student.work(is_over))
        try:
            await until(lambda: all(student.clicks > 1 for student in students))
            yield
        finally:
            is_over.set()


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(MAX_SECONDS):
        while not is_so():
            await asyncio.sleep(LOOK_SECONDS)


async def every(things: list[Awaitable[None]]) -> None:
    await asyncio.gather(*things)
