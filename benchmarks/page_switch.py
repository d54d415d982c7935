"""Cost of going to another page: time, bytes, and the largest message."""

import asyncio
from collections import defaultdict

from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.plan import CHOSEN, Plan
from benchmarks.run import Run, describe_errors, sizes, times
from benchmarks.sample import Sample
from benchmarks.server import Apps
from benchmarks.session import Session
from benchmarks.student import PAUSE_SECONDS, pages, reveal, step_controls, toggle

SIZE = Budget(statistic=Statistic.MAX, limit=40.0)
LARGEST = Budget(statistic=Statistic.MAX, limit=200.0)
HOW = (
    f"{CHOSEN} One tab goes round them and the home page by the sidebar: first as a newcomer, who"
    " has answered no prediction, then with every prediction answered."
    " The largest message is that of all runs here, clicks on every step included."
)
MOODS = {"new": "newcomer", "answered": "all answered"}


def measure(plan: Plan, apps: Apps) -> Section:
    """Go round the pages, before and after all predictions are answered."""
    return asyncio.run(_measure(plan, apps.playground.port))


async def _measure(plan: Plan, port: int) -> Section:
    switches: dict[tuple[str, str], list[Run]] = defaultdict(list)
    others: list[Run] = []
    async with Session(port) as session:
        others.append(await session.visit())
        addresses = pages(session, plan)

        async def go_round(mood: str) -> None:
            for _ in range(plan.rounds):
                for address in addresses:
                    await asyncio.sleep(PAUSE_SECONDS)
                    switches[address or "home", mood].append(await session.switch(address))

        for address in addresses:  # starts what a first visit starts
            others.append(await session.switch(address))
        await go_round("new")
        for address in addresses:
            others.append(await session.switch(address))
            others += await reveal(session, plan.steps)
            for control in step_controls(session, plan.steps):
                others += await toggle(session, control)
        await go_round("answered")
    return _section(switches, others)


def _section(switches: dict[tuple[str, str], list[Run]], others: list[Run]) -> Section:
    everything = [*others, *(run for runs in switches.values() for run in runs)]
    largest = max((run.largest for run in everything), key=lambda message: message.size_bytes)
    return Section(
        title="Page switch",
        how=HOW,
        figures=(
            *(
                Measurement(
                    id=f"switch-size.{page}.{mood}",
                    what=f"sent, to {page}, {MOODS[mood]}",
                    unit="kB",
                    sample=sizes(runs),
                    budget=SIZE,
                )
                for (page, mood), runs in switches.items()
            ),
            *(
                Measurement(
                    id=f"switch-time.{page}.{mood}",
                    what=f"time, to {page}, {MOODS[mood]}",
                    unit="ms",
                    sample=times(runs),
                )
                for (page, mood), runs in switches.items()
            ),
            Measurement(
                id="largest-message",
                what=f"largest message ({largest.kind})",
                unit="kB",
                sample=Sample((largest.size_bytes / 1e3,)),
                budget=LARGEST,
            ),
        ),
        remarks=(describe_errors(everything),),
    )
