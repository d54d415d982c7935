"""Plant faults in a copy of the project, all of ``faults.toml`` or those named, one after another.

Exits with 1 where the tests do not notice one, and with 2 if the list is wrong.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.mutations.faults import ROOT, Fault, planted, read_faults

TIMEOUT_SECONDS = 600.0  # of all tests without a fault; those of one fault take some seconds
PASSED, FAILED = 0, 1  # exit codes of pytest; all others mean that it could not run the tests


def copy_project(copy: Path) -> None:
    """Copy what git tracks, as it is in the working tree; times of change stay."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():  # one that was deleted is still listed
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)


def run_tests(copy: Path, tests: Iterable[str]) -> tuple[int | None, str]:
    """Run tests in the copy; None where they did not end in time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        ended = subprocess.run(
            command, cwd=copy, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return ended.returncode, ended.stdout + ended.stderr


def verdict_on(copy: Path, fault: Fault) -> str:
    """Plant one fault, run its tests, and put the file back."""
    file = copy / fault.file
    text, changed_at = file.read_text("utf-8"), file.stat().st_mtime_ns
    file.write_text(planted(fault, text), "utf-8")
    try:
        code, output = run_tests(copy, fault.tests)
    finally:
        file.write_text(text, "utf-8")
        os.utime(file, ns=(changed_at, changed_at))  # so that no bytecode of the fault fits it
    if code not in (PASSED, FAILED):
        print(output)
    return {PASSED: "survived", FAILED: "caught"}.get(code, f"error {code}")


def main(ids: list[str]) -> int:
    """Run the faults of these ids, or all of them."""
    faults = read_faults()
    if unknown := set(ids) - {each.id for each in faults}:
        print("unknown:", *sorted(unknown))
        return 2
    chosen = [each for each in faults if not ids or each.id in ids]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        copy_project(copy)
        code, output = run_tests(
            copy, dict.fromkeys(test for each in chosen for test in each.tests)
        )
        if code != PASSED:
            print(output, f"the tests do not pass without a fault: {code}", sep="\n")
            return 2
        verdicts = []
        for fault in chosen:
            begun = time.monotonic()
            verdicts.append(verdict_on(copy, fault))
            seconds = time.monotonic() - begun
            print(f"{verdicts[-1]:9} {seconds:5.1f} s  {fault.engine}: {fault.id}", flush=True)
    print(f"{verdicts.count('caught')} of {len(verdicts)} faults caught")
    return 2 if any(each.startswith("error") for each in verdicts) else int("survived" in verdicts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
