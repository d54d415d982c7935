"""A class that has signed in: what tests of its pages have in common."""

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from hosting.progress.records import Answer
from playground.catalog import Language
from ui.language import table
from ui.panel import plain
from ui.visitor import Visitor

ROOT = Path(__file__).resolve().parents[2]
PAGE = str(ROOT / "pages/teacher.py")
SOON = 30.0  # seconds; a limit for a test that hangs, no expectation
LESSON, STEP = "training", "prepare_both"  # which raises a RuntimeError
EVIL = "<img src=x onerror=alert(1)> **bold** `x`"
ADA = Visitor(student="ada")
TEACHER = Visitor(student="teacher", is_teacher=True)


def visit(page: str = "", language: str = "en", **address: str) -> AppTest:
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=300)
    fixed = {"lang": language, "machine": "simulated", "step": STEP, plain.CHOICE: "true"}
    for name, value in {**fixed, **address}.items():
        at.query_params[name] = value
    at.run()
    return at.switch_page(str(ROOT / f"pages/{page}.py")).run() if page else at


def teach(who: dict[str, Visitor | None], language: str = "en", **address: str) -> AppTest:
    who["it"] = TEACHER
    return visit("teacher", language, **address)


def said(at: AppTest) -> str:
    return "".join(each.proto.body for each in at.get("html"))


def rows(at: AppTest) -> list[list[str]]:
    return [
        [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", said(at))
    ]


def sentence(key: str, language: str = "en", **values: object) -> str:
    return table()[key].filled(Language(language), **values)


def predict(at: AppTest, answer: str) -> AppTest:
    at.button(key=f"{LESSON}-{STEP}-answer-{answer}").click().run()
    return at.run()


def is_revealed(at: AppTest) -> bool:
    return any(each.key == f"{LESSON}-{STEP}-again" for each in at.button)


def answer(student: str, given: str, is_right: bool) -> Answer:
    return Answer(
        student=student, lesson=LESSON, step=STEP, said=given, truth="?", is_right=is_right
    )
