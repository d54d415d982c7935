"""Measure, print, and rewrite BENCHMARKS.md.

python -m benchmarks                    everything
python -m benchmarks --quick            a smoke run of all parts; leaves the file alone
python -m benchmarks --only rerun load  these parts at full length; leaves the file alone
"""

import argparse
import importlib
import sys
import time
import traceback

from benchmarks import environment, report
from benchmarks.measurement import Section
from benchmarks.plan import FULL, QUICK, Plan
from benchmarks.server import ROOT, Apps

PARTS = ("cold_start", "memory", "rerun", "page_switch", "load", "lab_load", "paint", "overhead")
FILE = ROOT / "BENCHMARKS.md"


def main() -> int:
    """Run the parts one after the other; 1 where one of them failed."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    asked = parser.parse_args()
    began = time.perf_counter()
    print(f"On {environment.describe()}; load before {environment.load()}", flush=True)
    plan = QUICK if asked.quick else FULL
    with Apps() as apps:
        sections = [measure(part, plan, apps) for part in PARTS if part in asked.only]
    text = report.document(
        [section for section in sections if section],
        environment.describe(),
        report.read_reasons(),
    )
    print(text)
    print(f"{time.perf_counter() - began:.0f} s")
    if None in sections:
        return 1
    if not asked.quick and set(asked.only) == set(PARTS):
        before = FILE.read_text("utf-8") if FILE.exists() else ""
        FILE.write_text(report.with_class_part(text, report.kept_class_part(before)), "utf-8")
    return 0


def measure(part: str, plan: Plan, apps: Apps) -> Section | None:
    """One part; a part that fails says so and leaves the others to run."""
    began = time.perf_counter()
    print(f"{part} …", end=" ", flush=True)
    try:
        section: Section = importlib.import_module(f"benchmarks.{part}").measure(plan, apps)
    except Exception:  # noqa: BLE001 - shown whole, and the command then fails
        traceback.print_exc(file=sys.stdout)
        return None
    print(f"{time.perf_counter() - began:.0f} s", flush=True)
    return section


if __name__ == "__main__":
    sys.exit(main())
