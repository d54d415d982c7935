"""The table of attacks with the check before the jail; the jail's own tests run it without."""

import pytest

from playground import sandbox
from playground.errors import PlaygroundError
from playground.sandbox import runner
from tests.sandbox.hostile_lines import LINES
from tests.sandbox.jail import attacks

HONEST = {  # students write these, or may
    "a tensor within the limit",
    "recursion",
    "secrets in the environment",  # theirs holds none
    "use a GPU",
}
PASSING = {  # nothing in the syntax is wrong; the limits end them
    "a busy loop",
    "a formatted number",
    "a large power",
    "a list that doubles",
    "a loop in C",
    "a loop that forgives",
    "a tensor",
    "a tensor without end",
    "matrix products",
    "sleeping",
    "tensors without end",
    "text",
}
IMPORTED = ("ctypes", "mmap", "multiprocessing", "os", "resource", "signal", "socket", "subprocess")
IMPORTED += ("threading", "time", "torch")  # the jail's own tests find them bound


def cells():
    """Name and text of each attack, as a student would have to write it."""
    groups = (attacks.REFUSED, attacks.ANSWERED, attacks.WAITING, attacks.CRASHING)
    found = {}
    for group in (*groups, attacks.COMPUTING, attacks.OUT_OF_MEMORY):
        for name, row in group.items():
            source = row if isinstance(row, str) else row[0]
            needed = [f"import {each}\n" for each in IMPORTED if f"{each}." in source]
            found[name] = "".join(needed) + source
    for number, line in enumerate(LINES):
        found[f"line {number}"] = line
    return found


CELLS = cells()


@pytest.fixture
def no_jail(monkeypatch):
    """Whatever reaches the jail has passed the check."""

    def refuse(*_, **__):
        raise PlaygroundError("it reached the jail")

    monkeypatch.setattr(runner.jail, "run", refuse)


@pytest.mark.parametrize("name", sorted(CELLS.keys() - HONEST - PASSING))
def test_an_attack_is_refused_with_its_line_before_the_jail(no_jail, name):
    source = CELLS[name]

    report = sandbox.run(source)

    assert not report.ok
    assert report.line in range(1, source.count("\n") + 2)
    assert report.violations[0].sentence("en")
    assert report.violations[0].sentence("zh")
    assert (report.output, report.value, report.elapsed_seconds) == ("", None, 0.0)


@pytest.mark.parametrize("name", sorted(PASSING | HONEST))
def test_what_only_the_limits_can_end_is_not_refused(no_jail, name):
    with pytest.raises(PlaygroundError, match="it reached the jail"):
        sandbox.run(CELLS[name])
