from dataclasses import replace
from types import SimpleNamespace

import pytest
import streamlit as st
from starlette.responses import Response

from hosting import settings
from hosting.cookies import SESSION_COOKIE, STUDENT, TEACHER, SessionCookies, cookie_secret
from hosting.settings import Gate, Settings
from playground import catalog
from tests.hosting.asgi import OIDC
from ui import progress, visitor

CLAIMS = {
    "is_logged_in": True,
    "iss": "https://id.example.edu",
    "sub": "42",
    "email": "Ada@Example.edu",
    "name": " Ada\x00 Lovelace ",
}


@pytest.fixture
def code(tmp_path, monkeypatch):
    chosen = Settings(
        gate=Gate.CODE, class_code="tensor", teacher_code="autograd", data_folder=tmp_path
    )
    monkeypatch.setattr(settings, "current", lambda: chosen)
    return chosen


@pytest.fixture
def sign_in(monkeypatch):
    chosen = replace(OIDC, teachers=("ada@example.edu",))
    monkeypatch.setattr(settings, "current", lambda: chosen)

    def sign(**claims: object) -> visitor.Visitor | None:
        given = {name: value for name, value in (CLAIMS | claims).items() if value is not None}
        monkeypatch.setattr(st, "user", SimpleNamespace(to_dict=lambda: given))
        return visitor.current()

    return sign


def come(monkeypatch: pytest.MonkeyPatch, **cookies: str) -> visitor.Visitor | None:
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies=cookies))
    return visitor.current()


def session_cookie(chosen: Settings, role: str) -> str:
    response = Response()
    SessionCookies(chosen, cookie_secret(chosen)).set(response, role)
    return response.headers["set-cookie"].partition("=")[2].partition(";")[0]


def test_a_cookie_of_the_login_page_names_a_student_or_the_teacher_and_nobody(code, monkeypatch):
    mine, others = session_cookie(code, STUDENT), session_cookie(code, STUDENT)

    ada = come(monkeypatch, **{SESSION_COOKIE: mine})
    bob = come(monkeypatch, **{SESSION_COOKIE: others})

    assert ada == come(monkeypatch, **{SESSION_COOKIE: mine})
    assert ada.student != bob.student
    assert not ada.is_teacher
    assert len(ada.student) == 64
    assert mine not in ada.student
    teacher = come(monkeypatch, **{SESSION_COOKIE: session_cookie(code, TEACHER)})
    assert teacher.is_teacher
    assert visitor.is_teacher()


@pytest.mark.parametrize("cookie", ["", "student.", "teacher.W10.x", "☃" * 600])
def test_a_forged_cookie_is_nobodys(cookie, code, monkeypatch):
    forged = session_cookie(code, STUDENT).replace(STUDENT, TEACHER, 1)
    assert come(monkeypatch, **{SESSION_COOKIE: cookie}) is None
    assert come(monkeypatch, **{SESSION_COOKIE: forged}) is None
    assert come(monkeypatch) is None
    assert not visitor.is_teacher()


def test_a_visitor_who_signed_in_is_known_by_a_digest_and_a_teacher_by_the_address(sign_in):
    ada = sign_in(email="student@example.edu")

    assert "Lovelace" not in repr(ada)
    assert not ada.is_teacher
    assert len(ada.student) == 64
    assert ada.student == sign_in(email="new@example.edu", name="Ada King").student
    assert ada.student != sign_in(iss="https://other.example.edu").student
    assert ada.student != sign_in(sub="43").student
    assert sign_in().is_teacher
    assert not sign_in(email="ada@example.edu.evil.org").is_teacher


@pytest.mark.parametrize("absent", ["is_logged_in", "sub"])
def test_without_a_login_nobody_is_known(absent, sign_in):
    assert sign_in(**{absent: None}) is None


def test_in_an_open_playground_nobody_is_known(monkeypatch):
    monkeypatch.setattr(settings, "current", Settings)
    assert come(monkeypatch, **{SESSION_COOKIE: "student.x"}) is None


DONE = "tensors/same_device_error"
OLDER = "tensors/same-device-error"


@pytest.fixture(autouse=True)
def session(monkeypatch):
    state: dict[str, object] = {}
    monkeypatch.setattr(progress.st, "session_state", state)
    return state


def test_progress_comes_back_also_under_the_ids_of_older_links():
    challenge = catalog.lesson("tensors").step("same_device_error").words.challenges[0].id
    progress.restore({"done": [OLDER, f"tensors/challenge/{challenge}"], "at": "tensors/move"})

    assert progress.is_done("tensors", "same_device_error")
    assert progress.is_done("tensors", f"challenge/{challenge}")
    place = progress.last_step()
    assert (place[0].name, place[1]) == ("tensors", "move")
    assert progress.stored() == {
        "done": (f"tensors/challenge/{challenge}", DONE),
        "at": "tensors/move",
        "said": {},
    }


def test_predictions_of_an_earlier_visit_come_back_to_the_summary():
    earlier = ["works", "RuntimeError"]
    wrong = {"tensors/move": "cpu", "tensors/fix": ["a", 1], "moon/step": earlier, "": [["a"]]}
    progress.restore({"said": {OLDER: earlier, "tensors/one_to": ["a" * 81, "b"], **wrong}})
    progress.note_prediction("tensors", "same_device_error", "TypeError", "RuntimeError")

    assert progress.predictions(catalog.lesson("tensors")) == {
        "same_device_error": ("works", "RuntimeError")
    }
    assert progress.stored("tensors")["said"] == {DONE: ("works", "RuntimeError")}
    assert progress.stored("devices")["said"] == {}


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        "x" * 1000,
        {"done": "tensors"},
        {"done": [None, 3, {}, "moon/step", "tensors/no_such", "tensors/challenge/no"]},
        {"done": ["tensors/challenge/" + "a" * 10_000], "at": 7},
        {"at": "moon/step"},
        {"at": "tensors"},
    ],
)
def test_nonsense_brings_nothing_back(stored):
    progress.restore(stored)
    assert progress.stored() == {"done": (), "at": "", "said": {}}
    assert progress.last_step() is None


def test_a_shared_browser_says_nothing_of_one_student_to_another(session):
    session[progress.SYNC_KEY] = progress.ProgressSync(student="ada", is_loaded=True)
    progress.restore({"done": [DONE], "at": DONE})
    assert progress.is_restored()
    assert not progress.is_done("tensors", "same_device_error")
    assert progress.stored() is None
