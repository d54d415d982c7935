"""Memory of the web process once every page was opened."""

import asyncio
from pathlib import Path

from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.plan import Plan
from benchmarks.sample import Sample
from benchmarks.server import MEGABYTE, Apps
from benchmarks.session import Session
from benchmarks.student import lesson_addresses, reveal

SIZE = Budget(statistic=Statistic.MAX, limit=200.0)
NO_TORCH = Budget(statistic=Statistic.MAX, limit=0.0)
HOW = (
    "Resident memory of the process that answers the browser (its workers are others), after one"
    " tab opened every page and answered every prediction. Torch would show as a libtorch in"
    " /proc/<pid>/maps."
)


def measure(plan: Plan, apps: Apps) -> Section:
    """Open everything, then look at the process."""
    asyncio.run(_open_everything(plan, apps.empty.port))
    empty = apps.empty.process.memory_info().rss / MEGABYTE
    asyncio.run(_open_everything(plan, apps.playground.port))
    process = apps.playground.process
    used = process.memory_info().rss / MEGABYTE
    torch = torch_libraries(process.pid)
    workers = process.children(recursive=True)
    theirs = sum(worker.memory_info().rss for worker in workers) / MEGABYTE
    return Section(
        title="Memory of the web process",
        how=HOW,
        figures=(
            Measurement(
                id="memory.web",
                what="resident memory",
                unit="MB",
                sample=Sample((used,)),
                empty=Sample((empty,)),
                budget=SIZE,
            ),
            Measurement(
                id="memory.torch",
                what="torch libraries in it",
                unit="",
                sample=Sample((float(len(torch)),)),
                budget=NO_TORCH,
            ),
            Measurement(
                id="memory.workers",
                what=f"its {len(workers)} child processes together",
                unit="MB",
                sample=Sample((theirs,)),
            ),
        ),
    )


def torch_libraries(pid: int) -> set[str]:
    """The libraries of torch that a process has mapped; Linux says so, elsewhere none is seen."""
    maps = Path(f"/proc/{pid}/maps")
    if not maps.exists():
        return set()
    files = (line.rsplit("/", 1)[-1] for line in maps.read_text().splitlines())
    return {name for name in files if name.startswith("libtorch")}


async def _open_everything(plan: Plan, port: int) -> None:
    async with Session(port) as session:
        await session.visit()
        for address in ["", *lesson_addresses(session)[: plan.opened]] if session.pages else ():
            await session.switch(address)
            await reveal(session, plan.steps)
