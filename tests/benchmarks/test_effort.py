"""The benchmarks visit lessons that are there, and say which."""

import pytest

from benchmarks.effort import CHOSEN, FULL, QUICK, Effort
from benchmarks.session import Session
from benchmarks.student import pages
from playground import catalog


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_the_chosen_lessons_are_there_and_visited(effort: Effort) -> None:
    session = Session(port=0)
    session.pages = {"": "home", **{lesson.name: "hash" for lesson in catalog.lessons()}}

    visited = pages(session, effort)

    assert set(visited) == {"", *effort.lessons}
    assert len(visited) == len(effort.lessons) + 1


def test_the_choice_is_told() -> None:
    assert all(name in CHOSEN for name in FULL.lessons)
