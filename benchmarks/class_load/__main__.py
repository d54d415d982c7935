"""Run the load test of a class on a hosted server, and rewrite its part of BENCHMARKS.md.

python -m benchmarks.class_load                              150 for 10 minutes, 500 for one,
                                                             a vote with a killed process
python -m benchmarks.class_load --sessions 20 --minutes 0.5  a short run; leaves the file alone
python -m benchmarks.class_load --sessions 20 --kill         only the vote with a killed process
"""

import argparse
import asyncio
import gc
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import environment, report
from benchmarks.class_load import hosted, lost_replica, results
from benchmarks.class_load.class_run import ClassRun, work
from benchmarks.class_load.files import File, make
from benchmarks.class_load.resource_monitor import ResourceMonitor
from benchmarks.measurement import Section
from benchmarks.plan import Level
from benchmarks.server import ROOT

LEVELS = (Level(150, 600), Level(500, 60))
FILE = ROOT / "BENCHMARKS.md"


def main() -> int:
    """Measure each level on a server of its own."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks.class_load",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--sessions", type=int, help="a short run with so many students")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long that run is")
    parser.add_argument("--kill", action="store_true", help="kill a web process in a vote, only")
    asked = parser.parse_args()
    is_trial = asked.kill or asked.sessions is not None
    levels = (Level(asked.sessions, asked.minutes * 60),) if asked.sessions else LEVELS
    before = environment.load()
    print(f"On {environment.describe()}; load before {before}", flush=True)
    files = make()
    sections = [] if asked.kill else [measure(level, files) for level in levels]
    if asked.kill or not is_trial:
        sections += kill_in_a_vote(levels[0].sessions)
    part = report.class_part(sections, environment.describe(), report.read_reasons())
    print(part)
    if not is_trial:
        text = FILE.read_text("utf-8") if FILE.exists() else ""
        FILE.write_text(report.with_class_part(text, part), "utf-8")
    return 0


def measure(level: Level, files: list[File]) -> Section:
    """Let one class come and go."""
    print(f"{level.sessions} students …", end=" ", flush=True)
    began = time.perf_counter()
    class_run = ClassRun(level)
    with (
        tempfile.TemporaryDirectory() as folder,
        hosted.server(Path(folder), level.sessions) as server,
    ):
        hosted.wait_until_ready(server.port)
        gc.collect()
        gc.freeze()  # the clients' own collector then stops them less
        with ResourceMonitor(server.process) as resource_monitor:
            asyncio.run(work(class_run, server.port, files))
        class_run.votes.compare(Path(folder))
    print(f"{time.perf_counter() - began:.0f} s", flush=True)
    return results.section(class_run, resource_monitor)


def kill_in_a_vote(students: int) -> list[Section]:
    """Kill one of two web processes while a class votes; nothing where nginx is not installed."""
    if not lost_replica.is_possible():
        print("No vote with a killed process: nginx is not installed (sh tools/ensure_nginx.sh).")
        return []
    print(f"{students} students vote, and one of two web processes is killed …", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        return [lost_replica.section(students, Path(folder))]


if __name__ == "__main__":
    sys.exit(main())
