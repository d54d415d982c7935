"""A student in a browser tab: reads the page, predicts, clicks, runs cells."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.class_load.files import File
from benchmarks.class_load.hosted import Browser
from benchmarks.class_load.tab import Tab
from benchmarks.run import Run
from benchmarks.widget import Value, Widget
from ui.lab.url_state import CODE, to_link

PRESS: Value = ("trigger_value", True)
UPLOADER = "save_and_load_xray_upload"
TEXTS = {"markdown": "body", "html": "body", "alert": "body", "bidi_component": "json"}


class Student(Tab):
    """A student who has been through the gate, and to whom no page may show an error."""

    def __init__(self, port: int, browser: Browser) -> None:
        super().__init__(port, browser)
        self.read: list[str] = []  # what came on the screen with the last click

    @classmethod
    @asynccontextmanager
    async def at(cls, port: int, address: str = "") -> AsyncIterator[Self]:
        """A new student, who opens a page."""
        browser = Browser(port)
        await browser.enter()
        async with cls(port, browser) as student:
            await student.go(address)
            yield student

    def on_message(self, message: ForwardMsg) -> None:
        super().on_message(message)
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind in TEXTS:
            self.read.append(getattr(getattr(element, kind), TEXTS[kind]))

    @property
    def screen(self) -> str:
        """Return the text that the last click brought to the screen."""
        return "\n".join(self.read)

    async def go(self, address: str, query: str = "") -> None:
        """Go to a page; the first one by its address. Controls of steps are ordinary ones."""
        self.read.clear()
        query = f"{query}&panel_plain=true"
        run = await (self.switch(address, query) if self.pages else self.visit(address, query))
        assert run.errors == []

    async def give(self, widget: Widget, value: Value) -> Run:
        """Use a control, or press a button."""
        run = await super().give(widget, value)
        assert run.errors == []
        return run

    async def give_by_key(self, key: str, value: Value = PRESS) -> None:
        self.read.clear()
        await self.give(self.control(key), value)

    def control(self, key: str) -> Widget:
        found = self.by_key(key)
        assert found, f"{key} is not on the screen"
        return found

    async def open_step(self, lesson: str, step: str) -> None:
        await self.go(lesson, f"step={step}")

    async def predict(self, lesson: str, step: str) -> None:
        """Open a step of a lesson and choose the first answer."""
        await self.open_step(lesson, step)
        answers = [each for each in self.widgets.values() if f"-{step}-answer-" in each.key]
        await self.give_by_key(answers[0].key)

    def has_answer(self, lesson: str, step: str) -> bool:
        return self.by_key(f"{lesson}-{step}-again") is not None

    async def run_cell(self, source: str) -> None:
        """Follow a link to a program into the lab, and run it."""
        await self.go("lab", f"{CODE}={to_link(source)}")
        await self.give_by_key("lab-run")

    async def give_file(self, file: File) -> None:
        """Bring a file to the step that looks into it."""
        await self.go("save_and_load", "step=xray")
        self.read.clear()
        run = await self.upload(self.control(UPLOADER), file)
        assert run.errors == []
