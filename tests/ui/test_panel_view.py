from dataclasses import replace

import pytest

from playground import catalog
from playground.catalog import Language
from playground.steps import run_program
from tests.answers import answer_once
from tests.lessons.steps import find
from ui.panel import view

LESSON, STEP = "tensors", "same_device_error"
WORDS, KIND = find(LESSON, STEP)
ADDS = KIND.of({"operation": "add", "left": "cpu", "right": "cuda:0"})
ASKED = view.Shown(step=ADDS, words=WORDS, devices=("cpu", "cuda:0"), language=Language.EN)
ANSWERED = replace(ASKED, answer=answer_once(ADDS))


def test_a_picture_is_described_without_the_answer_before_it_and_with_it_afterwards():
    before, after = (view.step_data(shown)["picture"]["alt"] for shown in (ASKED, ANSWERED))
    assert before.endswith("The result of X + Y is not known yet.")
    assert after.endswith("Operation: X + Y.")


@pytest.mark.parametrize(
    ("said", "truth", "expected"),
    [
        ("RuntimeError", "RuntimeError", "as you predicted"),
        ("works", "RuntimeError", "you said: it works"),
        ("works", "AssertionError", "does not count"),  # no choice: the machine lacks a device
    ],
)
def test_the_answer_is_compared_with_the_prediction(said, truth, expected):
    shown = replace(ANSWERED, answer=replace(ANSWERED.answer, prediction=truth), said=said)
    [box] = [each["answer"] for each in view.step_data(shown)["lines"] if "answer" in each]
    assert expected in box["said_html"]


def test_only_lines_that_did_not_run_are_marked_as_such():
    pairs = zip(ADDS.program().splitlines(), view.step_data(ANSWERED)["lines"], strict=True)
    marks = {code.partition(" =")[0]: line.get("mark", "") for code, line in pairs}
    assert (marks["X"], marks["Z"], marks["print(Z)"]) == ("", "failed", "after")


def test_the_summary_counts_the_predictions_that_came_true():
    lesson = catalog.lesson(LESSON)
    predictions = {STEP: ("works", "RuntimeError"), lesson.steps[0].id: ("yes", "yes")}
    summary = view.summary_html(lesson, predictions, Language.EN)
    assert "Your predictions: 1 of 2 came true" in summary
    assert (summary.count("is-hit"), summary.count("is-miss")) == (1, 1)


@pytest.mark.parametrize(
    ("name", "size", "parts", "said"),
    [
        ("tensors tensor_bytes", ["rows", "columns"], "facts_html svg alt", ("4 bytes", "4 字节")),
        ("devices environment", [], "table_html", (">simulated<", ">模拟<")),
        ("timing timeline", [], "row", ("'shown': 'no'", "'shown': '否'")),
    ],
)
@pytest.mark.parametrize(("nth", "language"), [*enumerate(Language)])
def test_values_are_said_in_the_visitors_language(name, size, parts, said, nth, language):
    words, kind = find(*name.split())
    one = kind.of(dict.fromkeys(size, "1"))
    shown = replace(ASKED, step=one, words=words, language=language, answer=answer_once(one))
    data = view.step_data(shown)
    assert all(said[nth] in str({**data, **data["picture"]}[part]) for part in parts.split())


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("import torch\nx = torch.ones(2, 3)", "x (2, 3) float32"),
        ("import numpy\nx = numpy.ones(3)", "x (3,) ndarray float64"),
        ("import pandas\nx = pandas.DataFrame({'a': [1, 2], 'b': [3, 4]})", "x (2, 2) DataFrame"),
        ("from torch import nn\nx = nn.Linear(2, 3)", "x Linear · 9 parameters"),
        ("x = '(2, 2)'", "x = '(2, 2)'"),
        ("x = (2, 2)", "x: tuple"),
    ],
)
def test_a_value_is_noted_with_its_size(program, text):
    assert [view.note_text(x) for line in run_program(program).lines for x in line.notes] == [text]
