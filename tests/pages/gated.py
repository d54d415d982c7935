"""A class that has signed in: what tests of its pages have in common."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import Answer, Entry
from tests.pages import app
from tests.waiting import wait_until
from ui.visitor import Visitor

SOON = 30.0  # seconds; a limit for a test that hangs, no expectation
LESSON, STEP = "training", "prepare_both"  # which raises a RuntimeError
ADA = Visitor(student="ada")
TEACHER = Visitor(student="teacher", is_teacher=True)


def visit(page: str = "", language: str = "en", **address: str) -> AppTest:
    fixed = {"lang": language, "machine": "simulated", "step": STEP}
    at = app.visit(**{**fixed, **address})
    return app.go(at, page) if page else at


def teach(who: dict[str, Visitor | None], language: str = "en", **address: str) -> AppTest:
    who["it"] = TEACHER
    return visit("teacher", language, **address)


def rows(at: AppTest) -> list[list[str]]:
    return [
        [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", app.said(at))
    ]


def predict(at: AppTest, answer: str) -> AppTest:
    return app.press(at, f"answer-{answer}").run()


def keep(writer: ProgressWriter, *entries: Entry) -> None:
    """Wait until these are in the database, and what was handed over before."""
    writer.enqueue(list(entries))
    assert writer.wait_until_written(SOON)


def lose_database(writer: ProgressWriter, patch: pytest.MonkeyPatch, *unwritten: Entry) -> None:
    """Break the store, and wait until the writer has noticed with these entries."""

    def fail(*_: object) -> None:
        raise OSError("gone")

    for name in ("open", "write", "load"):
        patch.setattr(writer.store, name, fail)
    writer.enqueue(unwritten)
    wait_until(lambda: writer.is_failing)


def answer(student: str, given: str, is_right: bool) -> Answer:
    return Answer(
        student=student, lesson=LESSON, step=STEP, said=given, truth="?", is_right=is_right
    )
