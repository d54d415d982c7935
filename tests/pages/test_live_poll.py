from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import segno
import streamlit as st
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from hosting import framework_internals, settings
from hosting import live_poll as polls
from hosting.cookies import STUDENT, TEACHER
from hosting.progress import ProgressUnavailableError
from hosting.progress.records import Poll, Snapshot, Stage, user_id
from hosting.requests import VISITOR_KEY
from hosting.requests import Visitor as Requester
from hosting.settings import Gate
from playground import catalog
from playground.catalog import Language
from playground.machines import Machine
from playground.steps import load_step
from tests.hosting.asgi import call, scope_of
from tests.pages.app import keys, press, said, sentence, warnings
from tests.pages.gated import TEACHER as A_TEACHER
from tests.pages.gated import visit
from ui import live_poll, page_script, page_state, step_state, visitor
from ui.teacher import join, live_control, projector

pytestmark = pytest.mark.usefixtures("class_server", "no_poll")
LESSON, STEP = "tensors", "same_device_error"
POLL = Poll(lesson=LESSON, step=STEP)
KEY = f"{LESSON}-{STEP}"


@pytest.fixture
def no_poll():
    yield
    polls.stop()


@pytest.fixture
def ada(monkeypatch):
    monkeypatch.setattr(live_poll, "voter", lambda: "ada")


@pytest.fixture
def configure(monkeypatch):
    """Give the server other settings."""

    def use(**changed: Any) -> None:
        chosen = replace(settings.current(), **changed)
        monkeypatch.setattr(settings, "current", lambda: chosen)

    return use


def student(**address: str) -> AppTest:
    return visit(LESSON, **{"step": STEP, **address})


def answers(at: AppTest) -> list[str]:
    return [each for each in keys(at) if each.startswith(f"{KEY}-answer-")]


def captions(at: AppTest) -> str:
    return "".join(each.value for each in at.caption)


def test_an_answer_is_a_vote_and_reveals_nothing_before_the_teacher_does(ada):
    polls.current().ask(POLL)
    at = student()
    assert f"{KEY}-run" not in keys(at)

    press(at, "answer-works").run()
    assert polls.current().snapshot().votes == {"ada": "works"}
    assert len(answers(at)) == 3  # it can be changed
    assert sentence("live.chosen") in captions(at)
    assert "RuntimeError" not in said(at)

    press(at, "answer-TypeError")
    assert polls.current().snapshot().votes == {"ada": "TypeError"}

    polls.current().change(POLL.id, is_open=False)
    at.run()
    assert answers(at) == []
    assert "RuntimeError" not in said(at)

    polls.current().change(POLL.id, stage=Stage.ANSWER)
    at.run()
    assert "RuntimeError" in said(at)
    assert "Expected all tensors to be on the same device" in said(at)


def test_other_settings_are_no_vote_and_are_answered_as_ever(ada):
    polls.current().ask(POLL)
    at = press(student(left="cpu"), "answer-works").run()
    assert polls.current().snapshot().votes == {}
    assert f"{KEY}-again" in keys(at)


def test_the_vote_of_an_earlier_visit_is_shown_again_and_a_second_question_is_new(ada):
    polls.current().ask(POLL)
    polls.current().vote(POLL.id, "ada", "TypeError")
    at = student()
    assert "TypeError" in captions(at)

    polls.current().ask(live_control.again(POLL))
    at.run()
    assert sentence("live.chosen") not in captions(at)
    assert len(answers(at)) == 3


def test_a_vote_on_a_watched_run_does_not_start_it(ada, teacher):
    poll = Poll(lesson="training", step="watch")
    polls.current().ask(poll)
    at = visit("training", step="watch")
    answer = next(each for each in keys(at) if "-watch-answer-" in each)

    at.button(key=answer).click().run().run()

    assert len(polls.current().snapshot().votes) == 1
    assert "training-watch-stop" not in keys(at)
    polls.current().change(poll.id, stage=Stage.REASON)
    assert 'class="pj-reason"' in wall()


def test_what_is_no_answer_of_the_question_is_no_vote(ada):
    polls.current().ask(POLL)
    words = catalog.lesson(LESSON).step(STEP)
    step = live_poll.polled_step(POLL)
    assert step is not None

    assert not live_poll.vote(POLL, words, step, "<b>works</b>")
    assert not live_poll.vote(replace(POLL, is_open=False), words, step, "works")
    assert polls.current().snapshot().votes == {}


def test_the_link_to_a_round_opens_its_settings_and_stays_short():
    words = catalog.lesson(LESSON).step(STEP).words
    at = student(round="2")
    page: page_state.PageState = at.session_state[f"page-{LESSON}"]
    expected = load_step(LESSON, STEP).of(words.rounds[0].settings, machine=Machine())
    assert page.steps[STEP].step == expected
    assert page.steps[STEP].round == 2
    assert step_state.round_address(expected, words.rounds, 2) == {"round": "2"}
    changed = expected.replaced(left="cuda:0" if expected.left == "cpu" else "cpu")
    assert step_state.round_address(changed, words.rounds, 2).keys() == {"round", "left"}
    assert not student(round="99").exception
    assert not student(round="²").exception


@pytest.mark.parametrize("language", Language)
def test_the_teacher_asks_shows_asks_again_and_ends(teacher, language):
    at = visit("teacher", language)
    at.selectbox(key=live_control.LESSON).set_value(LESSON).run()
    at.selectbox(key=live_control.STEP).set_value(STEP).run()
    at.selectbox(key=live_control.ROUND).set_value(2).run()
    press(at, "ask")

    poll = polls.current().snapshot().poll
    assert poll is not None
    assert (poll.lesson, poll.step, poll.round) == (LESSON, STEP, 2)
    polls.current().vote(poll.id, "ada", "works")
    at.run()
    assert sentence("projector.answered", language, count=1) in said(at)
    press(at, "close")
    assert not polls.current().snapshot().poll.is_open
    at.button_group(key=live_control.STAGE).set_value(Stage.ANSWER).run()
    assert polls.current().snapshot().poll.stage is Stage.ANSWER
    press(at, "again")
    second = polls.current().snapshot()
    assert second.poll.first == poll.id
    assert second.first_votes == {"ada": "works"}
    press(at, "end")
    assert polls.current().snapshot().poll is None
    assert not at.exception


def test_a_question_that_does_not_fit_the_machine_cannot_be_asked(teacher):
    step, number = next(
        (each.id, number)
        for each in live_control.questions(catalog.lesson(LESSON))
        for number in (1, 2)
        if live_poll.polled_step(Poll(lesson=LESSON, step=each.id, round=number, gpus=1)) is None
    )
    at = visit("teacher", gpus="1")
    at.selectbox(key=live_control.STEP).set_value(step).run()
    at.selectbox(key=live_control.ROUND).set_value(number).run()

    assert sentence("teacher.live-impossible") in [each.value for each in at.caption]
    assert "live-ask" not in keys(at)


def test_a_press_that_the_database_does_not_take_is_told(teacher, monkeypatch):
    def refuse(_: Poll) -> None:
        raise ProgressUnavailableError("progress_unavailable")

    monkeypatch.setattr(polls.current(), "ask", refuse)
    at = press(visit("teacher"), "ask")

    assert sentence("failures.progress_unavailable") in warnings(at)


def test_the_projector_is_closed_to_students():
    with pytest.raises(ValueError, match="projector"):
        visit("projector")


def wall(language: str = "en") -> str:
    at = visit("projector", language)
    assert not at.exception
    return said(at)


def test_each_stage_shows_one_thing_more_and_nobodys_name(teacher):
    live = polls.current()
    live.ask(POLL)
    for voter, given in (("Ada", "works"), ("Bob", "works"), ("Eve", "RuntimeError")):
        live.vote(POLL.id, voter, given)
    question = wall()
    live.change(POLL.id, stage=Stage.HISTOGRAM)
    histogram = wall()
    live.change(POLL.id, stage=Stage.ANSWER)
    answer = wall()
    live.change(POLL.id, stage=Stage.REASON)
    reason = wall()

    counted = sentence("projector.answered", count=3)
    assert all(counted in each for each in (question, histogram, answer, reason))
    bars = ['class="pj-bars"' in each for each in (question, histogram, answer)]
    assert bars == [False, True, True]
    assert sentence("projector.share", count=2, percent=67) in histogram
    assert sentence("projector.share", count=0, percent=0) in histogram  # nobody said TypeError
    message = "Expected all tensors to be on the same device"
    assert [message in each for each in (question, histogram, answer)] == [False, False, True]
    assert ['class="pj-choice is-right"' in each for each in (histogram, answer)] == [False, True]
    assert ['class="pj-reason"' in each for each in (answer, reason)] == [False, True]
    assert not any(name in reason for name in ("Ada", "Bob", "Eve"))


def test_the_second_vote_stands_beside_the_first_on_the_wall(teacher):
    live = polls.current()
    live.ask(POLL)
    live.vote(POLL.id, "ada", "works")
    second = live_control.again(POLL)
    live.ask(second)
    live.vote(second.id, "ada", "RuntimeError")
    assert sentence("projector.second", "zh") in wall("zh")
    live.change(second.id, stage=Stage.HISTOGRAM)

    shown = wall("zh")

    share = sentence("projector.share", "zh", count=1, percent=100)
    for kind in ("first", "second"):
        assert shown.count(sentence(f"projector.{kind}-vote", "zh", share=share)) == 1


@pytest.mark.parametrize("lesson", [each.name for each in catalog.lessons()])
def test_every_question_of_every_round_can_be_asked_and_shown(lesson):
    """On the default machine; which rounds a smaller one refuses is for the teacher's page."""
    for words in live_control.questions(catalog.lesson(lesson)):
        for number in range(1, len(words.words.rounds) + 2):
            poll = Poll(lesson=lesson, step=words.id, round=number)
            step = live_poll.polled_step(poll)
            assert step is not None, (words.id, number)
            page = projector.question_page_html(Snapshot(poll=poll), poll, step, None, Language.EN)
            assert "pj-question" in page


def test_between_two_questions_the_projector_says_how_to_join(teacher, configure):
    configure(public_address="https://playground.example.edu/")
    shown = wall()

    assert "playground.example.edu" in shown
    assert segno.make("https://playground.example.edu", error="m", micro=False).svg_data_uri(
        border=3, dark="#000", light="#fff"
    ).replace("'", "&#x27;") in shown.replace("&quot;", '"')


def test_the_address_to_join_is_one_that_others_reach(monkeypatch):
    def seen(url: str, listens: str) -> str:
        monkeypatch.setattr(st, "context", SimpleNamespace(url=url))
        monkeypatch.setattr(framework_internals, "listening_host", lambda: listens)
        return join.address()

    monkeypatch.setattr(join, "network_address", lambda: "192.0.2.20")
    assert seen("http://localhost:8501/teacher", "127.0.0.1") == ""
    assert seen("http://localhost:8501/teacher", "0.0.0.0") == "http://192.0.2.20:8501"
    assert seen("http://192.0.2.7:8501/teacher", "0.0.0.0") == "http://192.0.2.7:8501"
    monkeypatch.setattr(join, "network_address", lambda: "")
    assert seen("http://localhost:8501/teacher", "0.0.0.0") == ""


@pytest.mark.parametrize(
    ("change", "voted", "key"),
    [
        ({}, False, "asked"),
        ({}, True, "voted"),
        ({"is_open": False}, True, "closed"),
        ({"stage": Stage.REASON}, True, ""),
    ],
)
@pytest.mark.parametrize("language", Language)
def test_the_banner_says_what_the_student_has_to_do(change, voted, key, language):
    poll = replace(POLL, round=2, gpus=4, **change)
    votes = {"ada": "works"} if voted else {}
    found = live_poll.banner(Snapshot(poll=poll, votes=votes), "ada", language)

    assert found is not None
    assert found["path"] == "/tensors"
    assert found["query"] == {"step": STEP, "round": "2", "gpus": "4"}
    title = catalog.lesson(LESSON).step(STEP).title.said(language)
    assert found["here"] == (sentence(f"live.here-{key}", language) if key else "")
    assert found["away"] == (sentence(f"live.away-{key}", language, title=title) if key else "")


def test_a_poll_of_another_version_of_the_playground_is_nobodys_banner():
    for unknown in ({"lesson": "gone"}, {"step": "gone"}, {"round": 99}, {"machine": "gone"}):
        assert live_poll.banner(Snapshot(poll=replace(POLL, **unknown)), "", Language.EN) is None


GATED = {"gate": Gate.CODE, "class_code": "tensor", "teacher_code": "autograd"}


@pytest.mark.anyio
@pytest.mark.parametrize("role", [STUDENT, TEACHER])
async def test_the_route_counts_students_whose_pages_are_open(role, configure):
    configure(**GATED)
    app = Starlette(routes=[live_poll.route()])
    who = {VISITOR_KEY: Requester(id="x", is_teacher=role == TEACHER)}

    idle = await call(app, scope_of("GET", "/api/poll?lang=zh", {}, **who))
    polls.current().ask(POLL)
    polls.current().vote(POLL.id, user_id(Gate.CODE, "x"), "works")
    asked = await call(app, scope_of("GET", "/api/poll?lang=zh", {}, **who))

    assert (idle.status, asked.status) == (204, 200)
    here = "live.here-voted" if role == STUDENT else "live.here-asked"
    assert sentence(here, "zh") in asked.text
    assert polls.current().snapshot().present == (1 if role == STUDENT else 0)


def test_following_the_banner_opens_exactly_the_state_that_is_asked():
    at = student(left="cpu", gpus="4")
    page: page_state.PageState = at.session_state[f"page-{LESSON}"]
    polls.current().ask(replace(POLL, round=2))
    at.session_state[page_script.KEY] = {"poll": {"type": "go"}}
    at.session_state[page_script.FOLLOWS] = True
    at.session_state["gpus"] = 2
    at.run()

    assert page.steps[STEP].step == live_poll.polled_step(replace(POLL, round=2))
    assert page.current == STEP
    assert at.query_params["round"] in ("2", ["2"])


@pytest.mark.parametrize(
    ("host", "peer", "more", "is_teacher"),
    [
        ("localhost:8501", None, {}, True),
        ("127.0.0.1:8501", None, {}, True),
        ("localhost:8501", "192.0.2.9", {}, False),
        ("192.0.2.20:8501", None, {}, False),
        ("playground.example.edu", None, {}, False),
        ("localhost:8501", None, {"X-Forwarded-For": "192.0.2.9"}, False),
        ("localhost:8501", None, {"x-forwarded-host": "x.example"}, False),
        ("localhost:8501", None, {"Via": "1.1 proxy"}, False),
        ("", None, {}, False),
    ],
)
def test_the_teacher_of_an_open_playground_sits_at_its_computer(
    host, peer, more, is_teacher, configure, monkeypatch
):
    headers = SimpleNamespace(to_dict=lambda: {"Host": host, **more})
    monkeypatch.setattr(st, "context", SimpleNamespace(ip_address=peer, headers=headers))
    assert visitor.is_teacher() is is_teacher
    configure(public_address="http://localhost:8501")
    assert not visitor.is_teacher()


def test_teachers_of_a_class_have_no_vote(configure, monkeypatch):
    configure(**GATED)
    monkeypatch.setattr(visitor, "current", lambda: A_TEACHER)
    assert live_poll.voter() == ""
