"""Students who click all the time, and whose pages must survive what happens to the server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Self

from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks.class_load import tab as class_load
from tests.deploy.nginx import NAME
from tests.hosting.browser import Browser
from tests.hosting.server import HOST, STREAM
from tests.waiting import MAX_PAUSE_SECONDS, MAX_SECONDS

COMING_BACK_SECONDS, AGAIN_SECONDS = 120.0, 0.2
CUT = (OSError, ConnectionClosed, InvalidStatus)  # how a tab learns that its replica is gone
LESSON, STEP = "training", "take_devices"
NUMBER = f"{LESSON}-{STEP}-num_gpus"
NUMBERS = (1.0, 2.0, 3.0)
QUERY = f"step={STEP}&panel_plain=true"  # its controls are ordinary ones
THINKING_SECONDS = 0.2
Shown = dict[str, object]


class Tab(class_load.Tab):
    """One page of a browser, behind the proxy."""

    run_seconds = MAX_SECONDS

    def __init__(self, browser: Browser) -> None:
        proxy = browser.server
        super().__init__(proxy.port, browser)
        self.url = f"wss://{NAME}:{proxy.port}{STREAM}"
        self.options |= {
            "host": HOST,
            "ssl": proxy.trust,
            "server_hostname": NAME,
            "origin": proxy.url,
            "subprotocols": ["streamlit", *browser.token],
            "open_timeout": MAX_SECONDS,
        }

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        assert self._socket.response is not None
        for given in self._socket.response.headers.get_all("set-cookie"):
            self.browser.take(given)
        return self

    @property
    def choices(self) -> dict[str, object]:
        """The value of each control, by its key."""
        return {self.widgets[name].key: value for name, value in self.values.items()}


@dataclass
class Student:
    """One student in the lesson: ``gpus`` came with the address, ``NUMBER`` by a click.

    ``cuts`` has what was shown when the line was cut, and what once it was back.
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
        run = await self.tab.give(self.tab.by_key(NUMBER), chosen)
        assert not run.errors, run.errors
        assert self.tab.choices[NUMBER] == chosen
        self._shown, self._address = self.tab.choices, self.tab._query
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
        """Do what the front end does once its line is cut: try until a replica answers."""
        async with asyncio.timeout(COMING_BACK_SECONDS):
            while True:
                with contextlib.suppress(*CUT):
                    self.tab = await Tab(self.browser).__aenter__()
                    run = await self.tab.visit(LESSON, query)
                    break
                await asyncio.sleep(AGAIN_SECONDS)
        assert not run.errors, run.errors
        self._shown, self._address = self.tab.choices, self.tab._query

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
            await asyncio.sleep(MAX_PAUSE_SECONDS)
