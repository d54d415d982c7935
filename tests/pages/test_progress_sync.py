import json
from concurrent.futures import Future
from typing import Any

import pytest

from hosting import progress
from hosting.progress.class_export import read_all_answers
from hosting.progress.own_data import own_data_json
from hosting.progress.records import Done, Seen
from hosting.progress.store import Store
from playground import catalog
from playground.catalog import Language
from tests.pages.gated import (
    LESSON,
    ROOT,
    SOON,
    STEP,
    answer,
    is_revealed,
    predict,
    said,
    sentence,
    visit,
)
from tests.waiting import wait_until
from ui import progress_sync, visitor
from ui.visitor import Visitor

pytestmark = pytest.mark.usefixtures("class_server")


def test_an_open_playground_knows_nobody_and_says_nothing_of_keeping():
    at = visit()

    assert not at.exception
    assert visitor.current() is None
    assert "progress-sync" not in at.session_state
    assert not [each for each in at.button if each.key == "progress-forget"]


def test_a_prediction_is_kept_with_what_really_happened(writer, who):
    at = predict(visit(LESSON), "works")
    at.run()  # drawn again: it is still one answer

    assert not at.exception
    assert writer.wait_until_written(SOON)
    kept = writer.store.load("ada")
    assert f"{LESSON}/{STEP}" in kept.done
    assert kept.answers == {f"{LESSON}/{STEP}": ("works", "RuntimeError")}
    (row,) = progress_answers(writer.store)
    assert (row.said, row.truth, row.is_right) == ("works", "RuntimeError", False)


def progress_answers(store: Store) -> list[Any]:
    return list(read_all_answers(store))


def test_a_skipped_question_is_no_answer(writer, who):
    at = visit(LESSON)
    at.button(key=f"{LESSON}-{STEP}-run").click().run()

    assert writer.wait_until_written(SOON)
    kept = writer.store.load("ada")
    assert kept.done
    assert kept.answers == {}


def test_a_student_who_comes_back_goes_on_where_they_were(writer, who):
    predict(visit(LESSON), "works")
    assert writer.wait_until_written(SOON)

    at = visit(LESSON)

    assert f"{LESSON}/{STEP}" in at.session_state["progress"]
    assert is_revealed(at)
    assert len(progress_answers(writer.store)) == 1  # it is shown, and not given again
    who["it"] = Visitor(student="bob")
    assert visit().session_state["progress"] == set()


def test_other_settings_are_asked_whatever_was_answered_before(writer, who):
    predict(visit(LESSON), "works")
    assert writer.wait_until_written(SOON)

    at = visit(LESSON, batch_line="kept")

    assert not is_revealed(at)


def test_an_answer_that_is_known_can_be_given_again(writer, who):
    predict(visit(LESSON), "works")
    assert writer.wait_until_written(SOON)

    at = visit(LESSON)
    at.button(key=f"{LESSON}-{STEP}-again").click().run()
    assert not is_revealed(at.run())
    predict(at, "RuntimeError")

    assert writer.wait_until_written(SOON)
    assert [row.said for row in progress_answers(writer.store)] == ["works", "RuntimeError"]


@pytest.mark.parametrize("language", Language)
def test_without_the_database_a_lesson_goes_on_and_nothing_is_lost(
    writer, who, language, monkeypatch
):
    def fail(*_: object) -> None:
        raise OSError("gone")

    with monkeypatch.context() as gone:
        for name in ("open", "write", "load"):
            gone.setattr(writer.store, name, fail)
        writer.enqueue([Seen(student="someone")])
        wait_until(lambda: writer.is_failing)
        at = predict(visit(LESSON, language), "works")

        assert not at.exception
        assert sentence("progress.troubled", language) in [each.value for each in at.caption]
        assert sentence("step.not-as-predicted", language, said="").rstrip("。") in said(at)
    assert writer.wait_until_written(SOON)
    assert f"{LESSON}/{STEP}" in writer.store.load("ada").done

    at.run()
    assert at.session_state["progress-sync"].is_loaded
    assert sentence("progress.troubled", language) not in [each.value for each in at.caption]


def test_what_finds_no_room_is_handed_over_with_a_later_run(writer, who, monkeypatch):
    with monkeypatch.context() as full:
        full.setattr(writer, "enqueue", list)  # takes nothing
        at = predict(visit(LESSON), "works")
        assert at.session_state["progress-sync"].unsent
    assert writer.store.load("ada").done == set()

    at.run()

    assert writer.wait_until_written(SOON)
    assert at.session_state["progress-sync"].unsent == []
    kept = writer.store.load("ada")
    assert f"{LESSON}/{STEP}" in kept.done
    assert kept.answers == {f"{LESSON}/{STEP}": ("works", "RuntimeError")}


def test_a_database_that_answers_late_is_not_waited_for(writer, who, monkeypatch):
    writer.enqueue([Done(student="ada", lesson=LESSON, part=STEP)])
    writer.enqueue([answer("ada", "works", is_right=False)])
    assert writer.wait_until_written(SOON)
    late: progress.SavedProgress = writer.store.load("ada")
    answering: Future[progress.SavedProgress] = Future()
    monkeypatch.setattr(writer, "load", lambda _: answering)
    at = visit(LESSON)
    assert at.session_state["progress"] == set()
    assert not is_revealed(at)

    answering.set_result(late)
    at.run()

    assert at.session_state["progress"] == {f"{LESSON}/{STEP}"}
    assert is_revealed(at)


def test_a_page_draws_itself_again_when_an_earlier_answer_arrives(writer, who, monkeypatch):
    writer.enqueue([answer("ada", "works", is_right=False)])
    assert writer.wait_until_written(SOON)
    late: progress.SavedProgress = writer.store.load("ada")
    answering: Future[progress.SavedProgress] = Future()
    monkeypatch.setattr(writer, "load", lambda _: answering)
    arrive = progress_sync.sync

    def arrive_late() -> frozenset[str]:
        """The database answers while the first run goes on, too late for its cards."""
        brought_in = arrive()
        if not answering.done():
            answering.set_result(late)
        return brought_in

    monkeypatch.setattr(progress_sync, "sync", arrive_late)

    at = visit(LESSON)

    assert at.session_state["progress-sync"].is_loaded
    assert is_revealed(at)


def test_what_a_student_says_meanwhile_counts_more_than_what_arrives_late(writer, who, monkeypatch):
    answering: Future[progress.SavedProgress] = Future()
    monkeypatch.setattr(writer, "load", lambda _: answering)
    at = predict(visit(LESSON), "works")

    answering.set_result(
        progress.SavedProgress(answers={f"{LESSON}/{STEP}": ("RuntimeError", "RuntimeError")})
    )
    at.run()

    assert {*at.session_state[f"page-{LESSON}"].steps[STEP].said.values()} == {"works"}


def test_a_student_sees_names_downloads_and_deletes_what_is_kept(writer, who):
    predict(visit(LESSON), "works")
    assert writer.wait_until_written(SOON)
    at = visit("me")
    title = catalog.lesson(LESSON).step(STEP).title.said(Language.EN)
    assert title in said(at)
    assert sentence("me.really") in said(at)  # it was wrong
    at.text_input(key="progress-name").set_value("  Ada\u202e L. ").run()
    assert writer.wait_until_written(SOON)
    assert writer.store.load("ada").name == "Ada L."
    assert visit("me").text_input(key="progress-name").value == "Ada L."
    own = json.loads(own_data_json(writer.store, "ada"))
    assert own["name"] == "Ada L."
    assert [(each["step"], each["said"]) for each in own["predictions"]] == [(STEP, "works")]
    assert own_data_json(writer.store, "nobody") == b"{}"

    assert at.button(key="progress-forget").disabled  # nobody loses everything by one slip
    at.checkbox(key="progress-sure").check().run()
    at.button(key="progress-forget").click().run()

    assert writer.wait_until_written(SOON)
    assert writer.store.load("ada") == progress.SavedProgress()
    assert sentence("progress.forgotten") in [each.value for each in at.success]
    assert title not in said(at)
    assert at.session_state["progress"] == set()


def test_in_an_open_playground_the_page_shows_and_deletes_what_this_browser_holds():
    at = predict(visit(LESSON), "works")
    at.switch_page(str(ROOT / "pages/me.py")).run()
    assert catalog.lesson(LESSON).step(STEP).title.said(Language.EN) in said(at)
    assert sentence("me.kept-here") in [each.value for each in at.markdown]

    at.checkbox(key="progress-sure").check().run()
    at.button(key="progress-forget").click().run()

    assert sentence("me.no-predictions") in [each.value for each in at.caption]
    assert at.session_state["progress"] == set()


def test_a_solved_exercise_is_kept_and_known_again(writer, who):
    at = visit("lab")
    assert "Ada" not in said(at)
    writer.enqueue([Done(student="ada", lesson="lab", part="mlp-forward")])
    assert writer.wait_until_written(SOON)

    assert "lab/mlp-forward" in visit("lab").session_state["progress"]
