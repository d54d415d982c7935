"""Reruns of a page and of one step, in turn with reruns of the empty page."""

import asyncio
from collections import defaultdict

from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.plan import CHOSEN, Plan
from benchmarks.run import Run, describe_errors, sizes, times
from benchmarks.server import Apps
from benchmarks.session import Session
from benchmarks.student import PAUSE_SECONDS, pages, reveal, step_controls, toggle

TIME = Budget(statistic=Statistic.RATIO, limit=6.0)
CLICK = Budget(statistic=Statistic.RATIO, limit=5.0)
SIZE = Budget(statistic=Statistic.MAX, limit=10.0)
HOW = (
    f"{CHOSEN} One tab. As it opens: a lesson just entered, at the step that the visitor is at."
    " Whole: at its last step, with the answer. Experiments cached."
    " From the click to the end of the run, with an empty page's rerun after each;"
    " actions at least 0.2 s apart. A step reruns alone: its first control is moved there and back;"
    " where it then asks again, Run is pressed, a click of its own."
)


def measure(plan: Plan, apps: Apps) -> Section:
    """Rerun every page and every step."""
    return asyncio.run(_measure(plan, apps.playground.port, apps.empty.port))


async def _measure(plan: Plan, port: int, empty_port: int) -> Section:
    opens: dict[str, list[Run]] = defaultdict(list)
    whole: dict[str, list[Run]] = defaultdict(list)
    steps: dict[str, list[Run]] = defaultdict(list)
    blank: list[Run] = []
    async with Session(port) as session, Session(empty_port) as empty:
        await session.visit()
        await empty.visit()

        async def rerun_empty() -> None:
            await asyncio.sleep(PAUSE_SECONDS)
            blank.append(await empty.rerun())
            await asyncio.sleep(PAUSE_SECONDS)

        for address in pages(session, plan):
            await session.switch(address)
            if address:
                await session.rerun()
                for _ in range(plan.rounds):
                    await rerun_empty()
                    opens[address].append(await session.rerun())
            await reveal(session, plan.steps)
            for control in step_controls(session, plan.steps):  # fills the cache
                await toggle(session, control)
            await session.rerun()  # from here on nothing changes
            for _ in range(2 * plan.rounds):
                await rerun_empty()
                whole[address or "home"].append(await session.rerun())
            for _ in range(max(1, plan.rounds // 4)):
                for control in step_controls(session, plan.steps):
                    await rerun_empty()
                    steps[address or "home"] += await toggle(session, control)
    return Section(
        title="Rerun",
        how=HOW,
        figures=(
            *(
                _time(f"rerun.{page}.opens", f"{page}, as it opens", runs, blank)
                for page, runs in opens.items()
            ),
            *(
                _time(f"rerun.{page}", f"{page}, whole", runs, blank)
                for page, runs in whole.items()
            ),
            *(
                _time(f"step.{page}", f"{page}, a click", runs, blank, CLICK)
                for page, runs in steps.items()
            ),
            *(
                _size(f"unchanged.{page}.opens", f"{page}, as it opens, sent again", runs, blank)
                for page, runs in opens.items()
            ),
            *(
                _size(f"unchanged.{page}", f"{page}, sent when nothing changed", runs, blank)
                for page, runs in whole.items()
            ),
        ),
        remarks=(
            describe_errors(
                run for runs in (*opens.values(), *whole.values(), *steps.values()) for run in runs
            ),
        ),
    )


def _time(
    name: str, what: str, runs: list[Run], blank: list[Run], budget: Budget = TIME
) -> Measurement:
    return Measurement(
        id=name, what=what, unit="ms", sample=times(runs), empty=times(blank), budget=budget
    )


def _size(name: str, what: str, runs: list[Run], blank: list[Run]) -> Measurement:
    return Measurement(
        id=name, what=what, unit="kB", sample=sizes(runs), empty=sizes(blank), budget=SIZE
    )
