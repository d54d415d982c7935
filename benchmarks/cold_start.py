"""From the start of the server to the first lesson on the screen."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import panel
from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.plan import Plan
from benchmarks.run import Message, Run
from benchmarks.sample import Sample
from benchmarks.server import EMPTY, PLAYGROUND, Apps, Server
from benchmarks.session import Session
from playground import catalog

BUDGET = Budget(statistic=Statistic.RATIO, limit=1.5)
OVER_IMPORT = Budget(statistic=Statistic.MEDIAN, limit=2.5)
HOW = (
    "From starting the process until the part has arrived in a tab whose very first visit is a"
    " lesson's address; where its step asks first, Run is pressed as soon as it is there."
    " The apps start in turn, after one unmeasured start of each."
    " Empty page: until its first run ends. Over `import torch`: each start beside a Python that"
    " only imports torch, from its start to its end."
)
WORDS = "words-of-first-step"
ANSWER = "first-step"
PARTS = {
    WORDS: "the words of its first step",
    ANSWER: "its first step whole (torch answers)",
}


def measure(plan: Plan, _apps: Apps) -> Section:
    """Start both apps in turn, each time to a first visit."""
    lesson = catalog.lessons()[0].name
    for app in (PLAYGROUND, EMPTY)[: plan.starts - 1]:
        _start(app, "")  # fills the system's file cache
    parts: dict[str, list[float]] = {part: [] for part in PARTS}
    empty, over_import = [], []
    for _ in range(plan.starts):
        started, run = _start(PLAYGROUND, lesson)
        for part, arrived in arrivals(run.messages).items():
            parts[part].append(arrived - started)
        started, run = _start(EMPTY, "")
        empty.append(run.finished - started)
        over_import.append(parts[ANSWER][-1] / _import_seconds())
    return Section(
        title="Server start to the first lesson on the screen",
        how=HOW,
        figures=(
            *(
                Measurement(
                    id=f"cold-start.{part}",
                    what=PARTS[part],
                    unit="s",
                    sample=Sample.of(seconds),
                    empty=Sample.of(empty),
                    budget=BUDGET if part == WORDS else None,
                )
                for part, seconds in parts.items()
            ),
            Measurement(
                id="cold-start.over-import",
                what="PyTorch's first answer, over `import torch`",
                unit="×",
                sample=Sample.of(over_import),
                budget=OVER_IMPORT,
            ),
        ),
    )


def _import_seconds() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return time.perf_counter() - began


def arrivals(messages: list[Message]) -> dict[str, float]:
    """When each part of a lesson, as it opens, arrived.

    The panel comes with the words, and after a press of Run with the answer.
    """
    main = [each for each in messages if each.place == "main" and each.fragment]
    panels = [each.arrived for each in main if each.kind == panel.KIND]
    return {WORDS: panels[0], ANSWER: panels[-1]}


def _start(app: Path, address: str) -> tuple[float, Run]:
    async def visit(port: int) -> Run:
        async with Session(port) as session:
            run = await session.visit(address)
            if panel.is_asked(session.shown()):
                run.messages += (await session.send_event(type="run")).messages
            return run

    with Server(app) as server:
        return server.started, asyncio.run(visit(server.port))
