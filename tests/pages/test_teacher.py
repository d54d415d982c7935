from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from hosting import progress
from hosting.progress.class_report import read_students
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import Done, ProgressUnavailableError, Seen, now
from playground import catalog, compute
from playground.catalog import Language
from playground.compute.status import ComputeStatus
from playground.lab import exercises
from playground.machines import nvml
from playground.machines.hardware import Accelerator, AcceleratorKind
from playground.sandbox import jail
from playground.sandbox.jail import SelfTestResult
from tests.pages import gated
from tests.pages.app import EVIL, ROOT, press, said, sentence, warnings
from tests.pages.gated import ADA, LESSON, STEP, TEACHER, answer, keep, predict, rows, teach, visit
from ui.teacher import assignments, class_progress, page

pytestmark = pytest.mark.usefixtures("class_server")


@pytest.mark.parametrize("stranger", [None, ADA])
def test_nobody_else_sees_the_page_or_that_it_is_there(stranger, writer, who):
    keep(writer, Seen(student="bob", name="Bob"))
    who["it"] = stranger

    script = ROOT / "pages/teacher.py"
    at = AppTest.from_file(script, default_timeout=300).run()  # not even by its own script

    assert [each.value for each in at.info] == [sentence("teacher.closed")]
    assert "Bob" not in said(at)
    assert not at.get("download_button")
    with pytest.raises(ValueError, match="teacher"):
        visit("teacher")


@pytest.mark.parametrize("language", Language)
def test_an_empty_class_is_said_in_words(writer, who, language):
    at = teach(who, language)

    assert not at.exception
    assert at.title[0].value == sentence("teacher.title", language)
    assert any(group.key == "lang" for group in at.sidebar.button_group)
    assert ["cpu", "4", "2", "3", "1", "5"] in rows(at)
    for key in ("nobody", "no-answers", "no-gpu", "sandbox-open", "database-ok"):
        assert sentence(f"teacher.{key}", language) in said(at)
    assert len(at.get("download_button")) == 6


def test_the_teacher_is_no_student(writer, who):
    who["it"] = TEACHER
    predict(visit(LESSON), "works")
    keep(writer)
    assert writer.store.load("teacher") == progress.SavedProgress()


@pytest.mark.parametrize("language", Language)
def test_the_class_is_listed_and_its_answers_are_counted(writer, who, language):
    long_ago = now() - timedelta(minutes=25)
    keep(writer, Seen(student="bob", name="Bob", at=long_ago))  # the first one
    keep(
        writer,
        answer("bob", "works", is_right=False),
        answer("ada", "RuntimeError", is_right=True),
        answer("eve", "RuntimeError", is_right=True),
        *[Done(student=each, lesson=LESSON, part=STEP) for each in ("ada", "eve")],
    )
    at = teach(who, language)

    def word(key: str, **values: object) -> str:
        return sentence(f"teacher.{key}", language, **values)

    steps = [step for each in catalog.lessons() for step in each.steps]
    everything = len(steps) + sum(len(step.words.challenges) for step in steps)
    none, one = (word("of", count=count, all=everything) for count in (0, 1))
    wrong, right = (word("of", count=count, all=1) for count in (0, 1))
    assert ["Bob", word("minutes", count=25), none, wrong] in rows(at)
    for number in (2, 3):
        assert [word("nameless", number=number), word("now"), one, right] in rows(at)
    assert word("share", right=2, all=3, percent=67) in said(at)
    assert word("step-done", count=2) in said(at)
    assert f"✓ {word('said-right', count=2)}" in said(at)
    assert f"✗ {word('said-wrong', count=1)}" in said(at)
    assert at.selectbox(key="teacher_lesson").value == LESSON  # the one that is begun


def test_another_lesson_is_chosen_and_stays_in_the_address(writer, who):
    at = teach(who)
    at.selectbox(key="teacher_lesson").set_value("parameters").run()

    steps = [each for each in catalog.lesson("parameters").steps if each.prediction]
    assert said(at).count('class="tp-poll"') == len(steps)
    assert at.query_params["teacher_lesson"] in ("parameters", ["parameters"])
    at = teach(who, teacher_lesson="☃")
    assert not at.exception


def test_what_students_wrote_is_shown_as_plain_text(writer, who):
    keep(writer, Seen(student="eve", name=EVIL), answer("eve", EVIL, is_right=False))
    at = teach(who)
    assert "&lt;img src=x" in said(at)
    assert "<img" not in said(at)
    assert not [each for each in at.markdown if "img" in each.value]


def test_the_gpu_the_sandbox_and_the_database_are_reported_as_they_are(writer, who, monkeypatch):
    memory = {"memory_used_bytes": 3 * 2**30, "memory_total_bytes": 80 * 2**30}
    gpu = Accelerator(kind=AcceleratorKind.CUDA, name="H100", **memory, utilisation_percent=41)
    driver = nvml.Driver(version="1", cuda_version="1", gpus=(gpu,))
    closed = SelfTestResult(ok=False, closed_because="no_landlock")
    monkeypatch.setattr(nvml, "read_driver", lambda: driver)
    monkeypatch.setattr(jail, "found", lambda: closed)

    def refuse(*_: object) -> None:
        raise ProgressUnavailableError("progress_unavailable")

    monkeypatch.setattr(writer.store, "reading", refuse)
    gated.lose_database(writer, monkeypatch, Seen(student="ada"), Seen(student="bob"))

    at = teach(who)

    assert ["H100", "3.00 GiB of 80.00 GiB", "41 %", sentence("step.not-available")] in rows(at)
    assert sentence("teacher.sandbox-closed") in said(at)
    assert sentence("teacher.database-troubled", count=2) in said(at)
    assert sentence("failures.progress_unavailable") in warnings(at)
    monkeypatch.undo()


@pytest.mark.parametrize("language", Language)
def test_what_is_still_starting_is_reported(writer, who, language, monkeypatch):
    monkeypatch.setattr(jail, "found", lambda: None)
    monkeypatch.setattr(ProgressWriter, "is_available", False)
    monkeypatch.setattr(compute, "status", lambda: ComputeStatus(is_awaited=True))

    at = teach(who, language)

    assert said(at).count(sentence("teacher.sandbox-starting", language)) == 2
    assert sentence("home.server-starting", language) in [each.value for each in at.caption]
    assert sentence("teacher.no-workers", language) not in warnings(at)
    assert sentence("teacher.sandbox-starting") == sentence("teacher.database-starting")


def test_the_files_are_made_when_they_are_asked_for(writer):
    make = page.file_maker(page.FILES["answers"], writer.store)
    keep(writer, answer("ada", "works", is_right=False))
    assert make().decode("utf-8-sig").splitlines()[1].startswith(f"1,,{LESSON},{STEP},")


@pytest.mark.parametrize(
    ("seconds", "key", "count"),
    [
        (-90_000, "now", 0),
        (59, "now", 0),
        (60, "minutes", 1),
        (7_300, "hours", 2),
        (200_000, "days", 2),
    ],
)
def test_how_long_ago_something_was(seconds, key, count):
    assert class_progress.ago(seconds) == sentence(f"teacher.{key}", count=count)


def test_a_server_without_workers_or_database_still_has_its_page(who, monkeypatch):
    monkeypatch.setattr(compute, "status", ComputeStatus)
    at = teach(who)
    assert not at.exception
    assert sentence("teacher.no-workers") in warnings(at)
    assert sentence("teacher.nothing-kept") in [each.value for each in at.info]


@pytest.mark.parametrize("language", Language)
def test_an_assignment_is_given_seen_by_students_and_its_results_by_the_teacher(
    writer, who, language
):
    exercise = exercises.exercises()[0]
    at = teach(who, language)
    assert at.button(key="assignment-create").disabled
    at.text_input(key=assignments.TITLE).set_value("Week 1 " + EVIL).run()
    at.multiselect(key=assignments.CHOSEN).set_value([exercise.id]).run()
    press(at, "create")
    assert not at.exception
    assert at.multiselect(key=assignments.CHOSEN).value == []
    (given,) = writer.store.load("ada").assignments
    assert given.due_at > now() + timedelta(days=6)

    who["it"] = ADA
    page = visit("me", language)
    assert f"/lab?from={exercise.id}" in said(page)
    assert "<img" not in said(page)
    keep(writer, Done(student="ada", lesson="lab", part=exercise.id))
    of_one = sentence("teacher.of", language, count=1, all=1)
    assert of_one in said(visit("me", language))

    at = teach(who, language)
    assert [sentence("teacher.nameless", language, number=1), of_one, "—", "✓"] in rows(at)
    press(at, f"delete-{given.number}")
    assert writer.store.load("ada").assignments == ()


def test_all_data_of_a_class_are_deleted_once_the_teacher_is_sure(writer, who):
    keep(writer, answer("ada", "works", is_right=False), Seen(student="bob", name="Bob"))
    at = teach(who)
    wrong = catalog.lesson(LESSON).step(STEP).title.said(Language.EN)
    assert any(row[0].startswith(wrong) for row in rows(at) if row)  # among the frequent errors
    assert at.button(key="delete-all").disabled

    at.checkbox(key="delete-sure").check().run()
    press(at, "all")

    assert "Bob" not in said(at.run())
    assert read_students(writer.store) == ()
    assert sentence("teacher.errors-none") in [each.value for each in at.caption]
