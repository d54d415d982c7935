from dataclasses import replace

import pytest

from playground import catalog
from playground.catalog import Language
from playground.steps import load_step, run_program
from tests.answers import answer_once
from ui.panel import view

LESSON, STEP = "tensors", "same_device_error"
ADDS = load_step(LESSON, STEP).of({"operation": "add", "left": "cpu", "right": "cuda:0"})
ASKED = view.Shown(
    step=ADDS,
    words=catalog.lesson(LESSON).step(STEP),
    devices=("cpu", "cuda:0", "cuda:1"),
    language=Language.EN,
)
ANSWERED = replace(ASKED, answer=answer_once(ADDS))


def test_a_picture_is_described_without_the_answer_before_it_and_with_it_afterwards():
    before, after = (view.step_data(shown)["picture"]["alt"] for shown in (ASKED, ANSWERED))
    assert before.endswith("The result of X + Y is not known yet.")
    assert after.endswith("Operation: X + Y.")


@pytest.mark.parametrize(
    ("said", "expected"), [("RuntimeError", "as you predicted"), ("works", "works")]
)
def test_the_answer_is_compared_with_the_prediction(said, expected):
    lines = view.step_data(replace(ANSWERED, said=said))["lines"]
    [box] = [each["answer"] for each in lines if "answer" in each]
    assert expected in box["said_html"]


def test_only_lines_that_did_not_run_are_marked_as_such():
    lines = view.step_data(ANSWERED)["lines"]
    marks = {
        code.partition(" =")[0]: line.get("mark", "")
        for code, line in zip(ADDS.program().splitlines(), lines, strict=True)
    }

    assert (marks["X"], marks["Z"], marks["print(Z)"]) == ("", "failed", "after")


def test_the_summary_counts_the_predictions_that_came_true():
    lesson = catalog.lesson(LESSON)
    predictions = {STEP: ("works", "RuntimeError"), lesson.steps[0].id: ("yes", "yes")}
    summary = view.summary_html(lesson, predictions, Language.EN)
    assert "Your predictions: 1 of 2 came true" in summary
    assert (summary.count("is-hit"), summary.count("is-miss")) == (1, 1)


@pytest.mark.parametrize(("language", "unit"), [(Language.EN, "4 bytes"), (Language.ZH, "4 字节")])
def test_bytes_are_counted_in_the_visitors_language(language, unit):
    one = load_step(LESSON, "tensor_bytes").of({"rows": "1", "columns": "1"})
    words = catalog.lesson(LESSON).step("tensor_bytes")

    data = view.step_data(
        replace(ASKED, step=one, words=words, language=language, answer=answer_once(one))
    )

    assert all(unit in each for each in (data["facts_html"], *data["picture"].values()))


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
    (line,) = [each for each in run_program(program).lines if each.notes]
    assert [view.note_text(each) for each in line.notes] == [text]
