"""One student of the class: a browser tab and the actions in it."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks import panel
from benchmarks.class_load import step_click
from benchmarks.class_load.action import Action, TimedAction
from benchmarks.class_load.files import File
from benchmarks.class_load.hosted import Browser
from benchmarks.class_load.step_click import RecentSettings, StepClick
from benchmarks.class_load.tab import Tab
from benchmarks.run import Run
from benchmarks.student import lesson_addresses, use
from ui.lab.url_state import CODE, to_link

LAB, RUN = "lab", "lab-run"
PAGE_SCRIPT = "page.script"  # the component that every page has
FILES, UPLOADER = "save_and_load", "save_and_load_xray_upload"
XRAY = "step=xray"  # the address of the step that takes a file
CELLS = (
    "import torch\nX = torch.rand({n}, 4)\nX @ X.T",
    "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(4, {n}), nn.ReLU(),"
    " nn.Linear({n}, 1))\nnet(torch.ones(2, 4))",
    "total = 0\nfor i in range({n}):\n    total += i\nprint(total)",
)
RESULTS = ("tp-outcome", "tp-answer")  # the CSS classes of the result of a cell and of a file


class VirtualStudent(Tab):
    """A student at work.

    Args:
        port: Of the server.
        browser: Has logged in with the class code.
        known: The recent settings of the class; the student adds to them.
        files: What the student may upload.
        chance: Draws the actions.
        note: Called with each action.
    """

    def __init__(
        self,
        port: int,
        browser: Browser,
        known: RecentSettings,
        files: list[File],
        chance: random.Random,
        note: Callable[[TimedAction], None],
    ) -> None:
        super().__init__(port, browser)
        self._recent = known
        self._files = files
        self._chance = chance
        self._note = note
        self._where = ""
        self._has_result = False
        self._page_script = ""

    def on_message(self, message: ForwardMsg) -> None:
        """Notice the result of a cell or a file."""
        super().on_message(message)
        element = message.delta.new_element
        if element.bidi_component.component_name == PAGE_SCRIPT:
            self._page_script = element.bidi_component.id
        if element.WhichOneof("type") == "html":
            self._has_result |= any(name in element.html.body for name in RESULTS)

    async def arrive(self, address: str) -> None:
        """Open a lesson by its address."""
        self._where = address
        self._record(Action.ARRIVAL, await self.visit(address))

    async def do(self, kind: Action, pause: Callable[[], float]) -> None:
        """Do something; what needs another page first goes there, and pauses.

        Args:
            kind: What the student feels like.
            pause: Says how long to look at a page before doing something on it.
        """
        match kind:
            case Action.LAB:
                await self._go(LAB, f"{CODE}={to_link(self._cell())}", pause)
                await self._run_cell()
            case Action.UPLOAD:
                await self._go_to_uploader(pause)
                await self._upload_file()
            case Action.SWITCH:
                await self._go(self._chance.choice(lesson_addresses(self)))
            case _:
                if not self._clicks():
                    await self._go(self._chance.choice(lesson_addresses(self)), "", pause)
                await self._click(kind)

    async def vote(
        self, banner: Mapping[str, Any], pause: Callable[[], float], note: Callable[[], None]
    ) -> bool:
        """Follow the banner of a poll, and answer; return False if that is no longer possible.

        Args:
            banner: As the server describes it.
            pause: Says how long to read the question.
            note: Called when the answer is sent.
        """
        request = self._request(page=self._page)
        pressed = panel.trigger({"type": "go"}, "poll")
        trigger = WidgetState(id=panel.trigger_id(self._page_script), json_trigger_value=pressed)
        request.rerun_script.widget_states.widgets.append(trigger)
        self._record(Action.SWITCH, await self._run(request))
        self._where = str(banner["path"]).strip("/")
        await asyncio.sleep(pause())
        question = self.shown().get("question") or {}
        if not question.get("is_open"):
            return False
        note()
        chosen = self._chance.choice(question["answers"])["id"]
        self._record(Action.VOTE, await self.send_event(type="answer", id=chosen))
        return True

    # -- in a lesson -------------------------------------------------------------------------

    async def _click(self, kind: Action) -> None:
        """Click in a lesson, with settings that the class used before or with new ones."""
        clicks = self._clicks()
        known = list(self._recent.among(clicks))
        chosen = known or clicks
        if kind is Action.FRESH:
            chosen = step_click.far(self, self._chance) or clicks
        if not chosen:
            await self._go(self._chance.choice(lesson_addresses(self)))
            return
        click = self._chance.choice(chosen)
        was_known = click.situation in self._recent
        self._recent.add(click.situation)
        run, *later = await use(self, click.widget, click.value)
        for each in later:
            run = run.then(each)
        self._record(Action.CACHED if was_known else Action.FRESH, run)

    def _clicks(self) -> list[StepClick]:
        return step_click.near(self) if self._where != LAB else []

    # -- elsewhere ---------------------------------------------------------------------------

    async def _go(
        self, address: str, query: str = "", pause: Callable[[], float] | None = None
    ) -> None:
        self._where = address
        self._record(Action.SWITCH, await self.switch(address, query))
        if pause:
            await asyncio.sleep(pause())

    async def _go_to_uploader(self, pause: Callable[[], float]) -> None:
        if self.by_key(UPLOADER) is None:
            await self._go(FILES, XRAY, pause)

    def _cell(self) -> str:
        return self._chance.choice(CELLS).format(n=self._chance.randint(2, 2_000))

    async def _run_cell(self) -> None:
        button = self.by_key(RUN)
        if button is None:
            self._note(
                TimedAction(Action.LAB, time.perf_counter(), 0.0, ("the lab has no button",))
            )
            return
        self._has_result = False
        run = await self.give(button, ("trigger_value", True))
        if not self._has_result:
            run.errors.append("the cell has no answer")
        self._record(Action.LAB, run)

    async def _upload_file(self) -> None:
        uploader = self.by_key(UPLOADER)
        if uploader is None:
            self._note(
                TimedAction(Action.UPLOAD, time.perf_counter(), 0.0, ("there is no uploader",))
            )
            return
        self._has_result = False
        run = await self.upload(uploader, self._chance.choice(self._files))
        if not self._has_result:
            run.errors.append("the file has no verdict")
        self._record(Action.UPLOAD, run)

    def _record(self, kind: Action, run: Run) -> None:
        self._note(TimedAction(kind, run.finished, run.milliseconds, tuple(run.errors)))
