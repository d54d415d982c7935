"""Each exercise: the start falls short, the model does not, a written-out answer fails."""

import re

import pytest

from playground import catalog, sandbox
from playground.lab import exercises
from playground.machines import Machine
from playground.sandbox.check import check
from playground.sandbox.report import SandboxReport, refused, reported
from tests.sandbox.cells import run_cell

EXERCISES = exercises.exercises()
IDS = [each.id for each in EXERCISES]
every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """What the jail's child does, without the jail, so that every computer can."""

    def run(source, machine, *, is_checked=True, looks_at_modules=True, on_wait=None):
        findings = check(source) if is_checked else ()
        if findings:
            return refused(findings)
        told, output = run_cell(source, machine=machine)
        return reported(
            told, output=output, explanation=None, elapsed_seconds=0.0, waited_seconds=0.0
        )

    monkeypatch.setattr(sandbox, "run", run, raising=False)


@every_exercise
def test_the_starting_program_runs_and_falls_short(exercise):
    grade = exercises.grade(exercise, exercise.program)

    assert grade.report.ok
    assert not all(grade.passed)
    assert not grade.is_solved
    assert len(grade.told) == grade.passed.count(False)


@every_exercise
def test_the_model_passes_every_check(exercise):
    grade = exercises.grade(exercise, exercise.model)

    assert grade.report.findings == ()
    assert grade.report.message == ""
    assert grade.told == ()
    assert grade.is_solved


@every_exercise
def test_a_program_without_its_definition_passes_nothing(exercise):
    grade = exercises.grade(exercise, "result = True\nprint('done')")

    assert not any(grade.passed)


CHEATS = {
    "count-once": ["def count(net):\n    return 15", "def count(net):\n    return 90"],
    "add-anywhere": ["def add(X, Y):\n    return X.to('cuda:0') + Y.to('cuda:0')"],
    "to-numpy": ["import numpy as np\ndef to_numpy(x):\n    return np.ones(3)"],
    "center-columns": [
        "import torch\nfrom torch import nn\nclass CenteredLayer(nn.Module):\n"
        "    def forward(self, X):\n        return torch.zeros_like(X)"
    ],
    "freeze": ["def freeze(net):\n    net.requires_grad_(False)"],
    "make-ready": ["def ready(net, X):\n    net(X).sum().backward()"],
    "save-and-rebuild": ["def twin(net, make):\n    return net.eval()"],
    "training-step": ["def train_step(net, optimizer, X, y):\n    return 0.5"],
    "initialise": ["from torch import nn\ndef init(m):\n    nn.init.zeros_(m.bias)"],
    "residual": [
        "from torch import nn\nclass Residual(nn.Module):\n    def __init__(self, inner):\n"
        "        super().__init__()\n        self.f = [inner]\n    def forward(self, X):\n"
        "        return X + self.f[0](X)"
    ],
}


@pytest.mark.parametrize(("id", "source"), [(id, each) for id in CHEATS for each in CHEATS[id]])
def test_an_answer_for_one_case_does_not_pass(id, source):
    grade = exercises.grade(exercises.exercise(id), source)

    assert grade.report.ok
    assert not grade.is_solved


def test_a_text_that_the_check_refuses_is_not_tried():
    grade = exercises.grade(EXERCISES[0], "open('x')")

    assert [each.id for each in grade.report.findings] == ["files"]
    assert grade.passed == ()


@pytest.mark.parametrize(
    "forged",
    ["-" * 69_999 + "1", "1+" * 34_999 + "1", "[" * 60_000, "[[]," * 17_000, "'" + "x" * 69_000],
    ids=lambda text: text[:4],
)
def test_a_result_that_cannot_be_read_passes_nothing(forged, monkeypatch):
    monkeypatch.setattr(sandbox, "run", lambda *_, **__: SandboxReport(ok=True, result=forged))

    graded = exercises.grade(EXERCISES[0], "x = 1")

    assert not any(graded.passed)
    assert set(graded.told) == {""}


def test_checks_run_where_there_are_two_gpus():
    exercise = exercises.exercise("add-anywhere")

    assert exercises.grade(exercise, exercise.model, Machine(gpus=0)).is_solved
    assert exercises.grade(exercise, exercise.model, Machine(kind="real")).is_solved


def test_there_are_a_dozen_of_them_in_the_order_of_the_lessons():
    order = [each.name for each in catalog.lessons()]

    assert len(set(IDS)) == len(IDS) >= 12
    places = [order.index(each.lesson) for each in EXERCISES]
    assert places == sorted(places)
    assert len(set(places)) >= 8


@every_exercise
def test_each_text_stands_in_both_languages(exercise):
    for text in (exercise.title, exercise.task, exercise.hint, *exercise.checks):
        spans = [sorted(set(re.findall(r"`[^`]+`", said))) for said in (text.en, text.zh)]
        assert spans[0] == spans[1]
        assert re.search("[\u4e00-\u9fff]", text.zh)
        assert not re.search("[!！]", text.en + text.zh)


def test_an_unknown_exercise_is_told():
    with pytest.raises(KeyError):
        exercises.exercise("none")
