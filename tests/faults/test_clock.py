"""The server's clock jumps; only what is reported in time of day knows of it."""

import ast
import asyncio
import re
from pathlib import Path

import pytest

from benchmarks.server import ROOT
from tests.faults.school import School
from tests.faults.student import Student
from tests.waiting import wait_until

LESSON, STEPS = "tensors", ("same_device_error", "numpy_sharing", "one_to")
HOUR, DAY = 3_600.0, 86_400.0
WALL_CLOCKS = {"time.time", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
ENDS = re.compile(rf"\.\s*({'|'.join(clock.partition('.')[2] for clock in WALL_CLOCKS)})\b")
TELLS_THE_TIME = {
    "hosting/gate/session_cookie.py",  # a cookie ends after days; a clock set back ends none
    "hosting/progress/records.py",  # when an answer was given, for people to read
}


@pytest.mark.parametrize("jump", [12 * HOUR, -300 * DAY], ids=["forwards", "backwards"])
def test_nobody_notices_that_the_clock_jumps(school: School, jump: float) -> None:
    async def story() -> None:
        await asyncio.to_thread(wait_until, school.has_written_all)
        before = len(school.answers())
        async with await Student.coming_to(school.port) as ada:
            runs = [await ada.go(""), await ada.predict(LESSON, STEPS[0])]
            with school.clock_off_by(jump):
                runs.append(await ada.predict(LESSON, STEPS[1]))
                async with Student(
                    school.port, ada.browser
                ) as other_tab:  # with the same session cookie
                    runs.append(await other_tab.open_step(LESSON, STEPS[0]))
                async with await Student.coming_to(school.port) as newcomer:
                    runs.append(await newcomer.go("devices"))
            runs.append(await ada.predict(LESSON, STEPS[2]))

        assert [run.errors for run in runs] == [[]] * len(runs)
        await asyncio.to_thread(wait_until, school.has_written_all)
        given = [answer[2] for answer in school.answers()[before:]]
        assert given == [*STEPS]

    asyncio.run(story())


def test_waits_and_limits_do_not_ask_for_the_time_of_day() -> None:
    found = {
        str(file.relative_to(ROOT))
        for folder in ("hosting", "ui", "pages", "playground")
        for file in (ROOT / folder).rglob("*.py")
        if asked_of(file)
    }

    assert found <= TELLS_THE_TIME


def asked_of(file: Path) -> set[str]:
    """The wall clocks that a module names."""
    text = file.read_text("utf-8")
    if not ENDS.search(text):  # to parse takes longer
        return set()
    tree = ast.parse(text)
    named = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {clock for clock in WALL_CLOCKS for name in named if name.endswith(clock)}
