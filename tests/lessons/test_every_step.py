"""The contract of every step that is a module of its own; steps are found, not listed."""

import ast
import contextlib
import io
import pickle
from enum import StrEnum

import pytest

from playground import catalog
from playground.catalog.records import PLACEHOLDER
from playground.compute.torch_state import preserve_torch_state
from playground.errors import PlaygroundError
from playground.lessons.training.on_points import OnPoints
from playground.modules.spec import Layer
from playground.sandbox import check
from playground.steps import Answer, Step, id_of
from tests.answers import answer as answer_again
from tests.answers import answer_once
from tests.lessons.blocks.misfits import linear
from tests.lessons.steps import STEPS, find, labels_of, starts, sweep, visitors

FOUND = {each: find(*each) for each in STEPS}
each_step = pytest.mark.parametrize(
    ("entry", "kind"), FOUND.values(), ids=[f"{lesson}-{step}" for lesson, step in FOUND]
)
MAX_LINES, MAX_COLUMNS, MAX_ROUNDS, MAX_ROW = 12, 72, 4, 4
HOSTILE = (
    *('"', "'", '"""', "\\", "\n"),
    *("';import os#", '"+__import__("os").name+"', "\ue000x\ue001"),
)
DEVICES = ("cpu", "cuda:0", "cuda:1")
OF_THE_PAGE = {"lang", "step", "gpus", "memory"}  # in the address beside the fields of the step


def runs_program(kind: type[Step]) -> bool:
    """The experiment is the plain run of the program."""
    return kind.experiment in (Step.experiment, OnPoints.experiment)  # which only looks on


def shape(program: str) -> str:
    """The syntax tree of a program with its texts and numbers left out."""
    tree = ast.parse(program)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


@each_step
def test_the_class_is_named_like_its_module(entry, kind):
    assert kind.__name__.lower() == entry.id.replace("_", "")


@each_step
def test_a_program_is_short_and_the_lab_takes_it(entry, kind):
    for step in starts(entry, kind):
        lines = step.program().splitlines()
        shown = lines[step.folded_lines() :]
        assert len(shown) <= MAX_LINES, step
        assert max(map(len, shown)) <= MAX_COLUMNS, step
        assert "".join(part.text for part in step.parts()) == step.program(), step
    for step in sweep(entry, kind):
        violations = check(step.program())
        assert not violations, (step, violations)


@each_step
def test_answers_are_plain_complete_and_deterministic(entry, kind):
    for step in sweep(entry, kind):
        answer = answer_once(step)
        assert pickle.loads(pickle.dumps(answer)) == answer  # noqa: S301 - dumped right here
        check_words(entry, step, answer)
    if kind.deterministic:  # what a plain run of the program prints is compared below
        for step in starts(entry, kind)[: 1 if runs_program(kind) else None]:
            assert answer_again(step) == answer_once(step), step


def check_words(entry: catalog.Step, step: Step, answer: Answer) -> None:
    """Assert that both languages have all that the answer needs."""
    said = entry.words
    values = {"line": step.asked_line(), **answer.values}
    assert all(PLACEHOLDER.fullmatch(f"{{{name}}}") for name in answer.placeholders)
    if entry.prediction:
        answers = step.choices(DEVICES) or entry.prediction.answers
        assert min(len(answers), len(step.choices(("cpu",)) or answers)) > 1
        known = {*answers, "other", answer.outcome.error_type}
        assert answer.prediction in known, (step, answer.prediction)
    for language in catalog.Language:
        entry.prose.filled(language, **values)
        if entry.prediction:
            entry.prediction.question.filled(language, **values)
        said.explanations[answer.explanation].filled(language, **values)
        labels = labels_of(entry, language)
        shown = [name for name, value in answer.facts.items() if value is not None]
        assert {*shown, *(answer.table[0] if answer.table else ())} <= {*labels}, step
        for known in (None, answer):
            if picture := step.picture(known, labels):
                alt = said.alts["after" if known else "before"]
                assert alt.filled(language, **values, **picture.values)
                assert "<svg" in picture.svg
                assert "`" not in picture.svg


@each_step
@pytest.mark.filterwarnings("ignore")  # a warning is part of what a program shows
def test_the_program_alone_gives_the_same_outcome(entry, kind):
    if not runs_program(kind):
        pytest.skip("its experiment is no plain run of its program")
    for step in starts(entry, kind):
        answer, printed, error = answer_once(step), io.StringIO(), ""
        with preserve_torch_state(), step.running(), contextlib.redirect_stdout(printed):
            try:
                exec(step.program(), {"__name__": "__main__"})
            except Exception as raised:  # noqa: BLE001 - any error is an outcome
                error = type(raised).__name__
        assert error == answer.outcome.error_type, step
        if kind.deterministic:
            assert printed.getvalue() == answer.printed, step


@each_step
def test_every_explanation_is_reached(entry, kind):
    reached = {answer_once(step).explanation for step in sweep(entry, kind)}

    known = {*entry.words.explanations}
    assert reached <= known if kind.measures else reached == known  # measuring needs hardware


@each_step
def test_rounds_are_settings_of_their_own(entry, kind):
    rounds = [kind(), *(kind.of(each.settings) for each in entry.words.rounds)]

    assert 1 <= len(rounds) == len(set(rounds)) <= MAX_ROUNDS
    assert not entry.words.rounds or entry.prediction


@each_step
def test_challenges_fail_then_pass(entry, kind):
    for challenge in entry.words.challenges:
        starting, model = kind.of(challenge.starting), kind.of(challenge.model)
        assert not starting.meets(challenge.id, answer_once(starting)), challenge.id
        assert model.meets(challenge.id, answer_once(model)), challenge.id


@each_step
def test_controls_have_words(entry, kind):
    said = entry.words
    in_program = {part.field for start in starts(entry, kind) for part in start.parts()}
    row = []
    for field in kind.declared():
        if field.metadata.get("is_fix") or field.name == "machine":
            continue
        assert field.name in said.labels, field.name
        assert field.name not in OF_THE_PAGE
        if field.name not in in_program:
            row.append(field.name)
            if isinstance(field.type, type) and issubclass(field.type, StrEnum):
                ids = {id_of(member) for member in field.type}
                assert ids == {*said.options.get(field.name, {})}, field.name
    assert len(row) <= MAX_ROW
    asked = {*(entry.prediction.answers if entry.prediction else ()), *said.answers}
    asked |= {each for start in starts(entry, kind) for each in start.choices(DEVICES)}
    assert {*said.if_wrong} <= asked


@each_step
def test_texts_of_visitors_cannot_change_the_program(entry, kind):
    for name, most in kind.TEXTS.items():
        for start in starts(entry, kind):
            harmless = shape(start.replaced(**{name: "a"}).program())
            for hostile in HOSTILE:
                step = start.replaced(**{name: hostile[:most]})
                assert shape(step.program()) == harmless, hostile
                assert "".join(part.text for part in step.parts()) == step.program()


@pytest.mark.parametrize(
    ("lesson", "step_id"),
    [
        each
        for each, (_, kind) in FOUND.items()
        if "network" in {field.name for field in kind.declared()}
        and each != ("save_and_load", "xray")  # its program makes a file of another network
    ],
)
@pytest.mark.parametrize(
    "layer",
    [
        linear(30_000, 30_000),
        Layer("Linear", {"in_features": 20}),
        Layer("NoSuchLayer"),
        linear(1, 1, device='"); import os #'),
    ],
    ids=["large", "incomplete", "unknown", "hostile"],
)
def test_a_network_that_cannot_be_built_is_refused_unrun(lesson, step_id, layer, monkeypatch):
    ran: list[str] = []
    monkeypatch.setattr("playground.steps.step.run_program", ran.append)
    _, kind = FOUND[lesson, step_id]

    with pytest.raises(PlaygroundError):
        answer_again(kind(network=visitors(layer, shape=(1, 1))))
    assert ran == []
