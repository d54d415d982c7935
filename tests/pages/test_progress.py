import json
from concurrent.futures import Future

import pytest
from streamlit.testing.v1 import AppTest

from hosting import progress
from hosting.progress.exports import own_data_json, read_all_answers
from hosting.progress.records import Done, Seen
from playground import catalog
from playground.catalog import Language
from tests.pages.app import go, keys, press, said, sentence
from tests.pages.gated import LESSON, STEP, answer, keep, lose_database, predict, visit
from ui import visitor
from ui.progress import sync
from ui.visitor import Visitor

pytestmark = pytest.mark.usefixtures("class_server")
PART = f"{LESSON}/{STEP}"


@pytest.fixture
def answering(writer, who, monkeypatch):
    """Return a future that stands for the database's answer."""
    late: Future[progress.SavedProgress] = Future()
    monkeypatch.setattr(writer, "load", lambda _: late)
    return late


def is_revealed(at: AppTest) -> bool:
    return f"{LESSON}-{STEP}-again" in keys(at)


def test_a_prediction_is_kept_with_what_really_happened(writer, who):
    at = predict(visit(LESSON), "works")
    at.run()  # drawn again: it is still one answer

    assert not at.exception
    keep(writer)
    kept = writer.store.load("ada")
    assert PART in kept.done
    assert kept.answers == {PART: ("works", "RuntimeError")}
    (row,) = read_all_answers(writer.store)
    assert (row.said, row.truth, row.is_right) == ("works", "RuntimeError", False)


def test_a_skipped_question_is_no_answer(writer, who):
    press(visit(LESSON), "run")
    keep(writer)
    kept = writer.store.load("ada")
    assert kept.done
    assert kept.answers == {}


def test_a_student_who_comes_back_goes_on_where_they_were_and_may_answer_again(writer, who):
    predict(visit(LESSON), "works")
    keep(writer)

    at = visit(LESSON)
    assert PART in at.session_state["progress"]
    assert is_revealed(at)
    assert len(list(read_all_answers(writer.store))) == 1  # it is shown, and not given again
    assert not is_revealed(visit(LESSON, batch_line="kept"))  # other settings are asked

    press(at, "again")
    assert not is_revealed(at.run())
    predict(at, "RuntimeError")
    keep(writer)
    assert [row.said for row in read_all_answers(writer.store)] == ["works", "RuntimeError"]
    who["it"] = Visitor(student="bob")
    assert visit().session_state["progress"] == set()


@pytest.mark.parametrize("language", Language)
def test_without_the_database_a_lesson_goes_on_and_nothing_is_lost(
    writer, who, language, monkeypatch
):
    with monkeypatch.context() as gone:
        lose_database(writer, gone, Seen(student="someone"))
        at = predict(visit(LESSON, language), "works")

        assert not at.exception
        assert sentence("progress.troubled", language) in [each.value for each in at.caption]
        assert sentence("step.not-as-predicted", language, said="").rstrip("。") in said(at)
    keep(writer)
    assert PART in writer.store.load("ada").done

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

    keep(writer)
    assert at.session_state["progress-sync"].unsent == []
    kept = writer.store.load("ada")
    assert PART in kept.done
    assert kept.answers == {PART: ("works", "RuntimeError")}


def test_a_database_that_answers_late_is_not_waited_for(writer, answering):
    done = Done(student="ada", lesson=LESSON, part=STEP)
    keep(writer, done, answer("ada", "works", is_right=False))
    at = visit(LESSON)
    assert at.session_state["progress"] == set()
    assert not is_revealed(at)

    answering.set_result(writer.store.load("ada"))
    at.run()
    assert at.session_state["progress"] == {PART}
    assert is_revealed(at)


def test_a_page_draws_itself_again_when_an_earlier_answer_arrives(writer, answering, monkeypatch):
    keep(writer, answer("ada", "works", is_right=False))
    late = writer.store.load("ada")

    def arrive_late() -> frozenset[str]:
        """The database answers while the first run goes on, too late for its cards."""
        brought_in = sync()
        if not answering.done():
            answering.set_result(late)
        return brought_in

    monkeypatch.setattr("ui.progress.sync", arrive_late)

    at = visit(LESSON)

    assert at.session_state["progress-sync"].is_loaded
    assert is_revealed(at)


def test_what_a_student_says_meanwhile_counts_more_than_what_arrives_late(answering):
    at = predict(visit(LESSON), "works")
    answers = {PART: ("RuntimeError", "RuntimeError")}
    answering.set_result(progress.SavedProgress(answers=answers))
    at.run()
    assert {*at.session_state[f"page-{LESSON}"].steps[STEP].said.values()} == {"works"}


def test_a_student_sees_names_downloads_and_deletes_what_is_kept(writer, who):
    predict(visit(LESSON), "works")
    keep(writer)
    at = visit("me")
    title = catalog.lesson(LESSON).step(STEP).title.said(Language.EN)
    assert title in said(at)
    assert sentence("me.really") in said(at)  # it was wrong
    at.text_input(key="progress-name").set_value("  Ada\u202e L. ").run()
    keep(writer)
    assert writer.store.load("ada").name == "Ada L."
    assert visit("me").text_input(key="progress-name").value == "Ada L."
    own = json.loads(own_data_json(writer.store, "ada"))
    assert own["name"] == "Ada L."
    assert [(each["step"], each["said"]) for each in own["predictions"]] == [(STEP, "works")]
    assert own_data_json(writer.store, "nobody") == b"{}"

    assert at.button(key="progress-forget").disabled  # nobody loses everything by one slip
    at.checkbox(key="progress-sure").check().run()
    press(at, "forget")

    keep(writer)
    assert writer.store.load("ada") == progress.SavedProgress()
    assert sentence("progress.forgotten") in [each.value for each in at.success]
    assert title not in said(at)
    assert at.session_state["progress"] == set()


def test_in_an_open_playground_the_page_shows_and_deletes_what_this_browser_holds():
    at = visit()
    assert not at.exception
    assert visitor.current() is None
    assert "progress-sync" not in at.session_state
    assert "progress-forget" not in keys(at)

    at = go(predict(go(at, LESSON), "works"), "me")
    assert catalog.lesson(LESSON).step(STEP).title.said(Language.EN) in said(at)
    assert sentence("me.kept-here") in [each.value for each in at.markdown]

    at.checkbox(key="progress-sure").check().run()
    press(at, "forget")

    assert sentence("me.no-predictions") in [each.value for each in at.caption]
    assert at.session_state["progress"] == set()


def test_a_solved_exercise_is_kept_and_known_again(writer, who, stand):
    at = visit("lab")
    assert "Ada" not in said(at)
    keep(writer, Done(student="ada", lesson="lab", part="mlp-forward"))
    assert "lab/mlp-forward" in visit("lab").session_state["progress"]
