import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog
from playground.catalog import Language
from playground.modules.spec.link import to_link
from playground.modules.spec.starts import STARTS
from tests.pages.gated import said, sentence, visit
from ui import view_options, visitor
from ui.lab import url_state
from ui.panel import plain, view
from ui.teacher import lesson_links, program_links

pytestmark = pytest.mark.usefixtures("class_server")
LESSON = "tensors"
PLAN = ("moving", "same_device_error", "default_device")


def at_lesson(**address: str) -> AppTest:
    return visit(LESSON, **{"step": "same_device_error", **address})


def keys(at: AppTest) -> set[str]:
    return {each.key for each in at.button if each.key}


def test_a_plan_shows_its_steps_in_its_order_and_no_others() -> None:
    plan = [each for each in PLAN if each in {step.id for step in catalog.lesson(LESSON).steps}]
    at = at_lesson(plan=",".join(["nosuch", *plan, plan[0]]))
    page = at.session_state[f"page-{LESSON}"]

    assert [each.id for each in page.lesson.steps] == plan
    place = plan.index("same_device_error")
    following = catalog.lesson(LESSON).step(plan[place + 1]).title.said(Language.EN)
    labels = [each.label for each in at.button]
    assert sentence("panel.next-step", title=following) in labels
    assert page.query.count("plan=") == 1 or at.query_params["plan"]

    other = next(each.id for each in catalog.lesson(LESSON).steps if each.id not in plan)
    at.query_params["step"] = other
    at.run()
    assert page.current in plan
    at.query_params["plan"] = "all"
    at.run()
    assert at.session_state[f"page-{LESSON}"].lesson.steps == catalog.lesson(LESSON).steps


@pytest.mark.parametrize("nonsense", ["", ",", "nosuch", "<b>", "x" * 3_000])
def test_a_plan_without_a_step_is_no_plan(nonsense: str) -> None:
    at = at_lesson(plan=nonsense)

    assert not at.exception
    assert at.session_state[f"page-{LESSON}"].lesson == catalog.lesson(LESSON)


def test_what_the_address_hides_is_not_there_and_a_hidden_setting_is_plain_text() -> None:
    before = at_lesson()
    at = at_lesson(hide="lab,edit,next,left,plain,download,nosuch")

    gone = keys(before) - keys(at)
    prefix = f"{LESSON}-same_device_error"
    assert {f"{prefix}-to-lab", f"{prefix}-to-edit", f"{prefix}-to-next"} <= gone
    boxes = {each.key for each in at.selectbox}
    assert f"{prefix}-left" not in boxes
    assert f"{prefix}-right" in boxes
    assert at.code[0].value == before.code[0].value  # the program is the same
    assert not any(each.key == plain.SWITCH for each in at.toggle)


@pytest.mark.parametrize("name", view_options.PARTS)
def test_each_part_that_can_be_hidden_is_one_of_the_page(name: str) -> None:
    known = {*view_options.DATA_OF, *view_options.PAGE_PARTS, *view.interface_words(Language.EN)}

    assert name in known
    assert sentence(f"teacher.hide-{name}", "zh")


def test_a_link_may_carry_the_answer() -> None:
    assert "RuntimeError" not in said(at_lesson())
    assert "Expected all tensors to be on the same device" in said(at_lesson(answer="shown"))


# -- the teacher's links -----------------------------------------------------------------------


def test_the_teacher_composes_a_link_that_leads_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor, "is_teacher", lambda: True)
    at = visit("teacher")
    at.selectbox(key=lesson_links.LESSON).set_value(LESSON).run()
    at.multiselect(key=lesson_links.STEPS).set_value(["same_device_error", "default_device"]).run()
    at.multiselect(key=lesson_links.HIDE).set_value(["lab"]).run()
    at.selectbox(key=lesson_links.ROUND).set_value(2).run()
    at.checkbox(key=lesson_links.REVEAL).check().run()

    (url,) = [each.value for each in at.code if f"/{LESSON}" in each.value]
    query = dict(re.findall(r"[?&](\w+)=([^&]*)", url))
    assert query == {
        "step": "same_device_error",
        "round": "2",
        "plan": "same_device_error,default_device",
        "hide": "lab",
        "answer": "shown",
    }
    there = visit(LESSON, **query)
    page = there.session_state[f"page-{LESSON}"]
    assert (page.current, page.steps[page.current].round) == ("same_device_error", 2)


NETWORK = f"network={to_link(STARTS['gpt'])}"
CODE = f"code={url_state.to_link('print(1)')}"


@pytest.mark.parametrize(
    ("copied", "is_revealed", "expected"),
    [
        (f"/lab?{CODE}&gpus=3&lang=zh&lab_plain=true", False, f"/lab?{CODE}&gpus=3"),
        (f"/lab/?{CODE}&answer=x", True, f"/lab?{CODE}&answer=shown"),
        ("/lab?from=tensors/move", True, "/lab?from=tensors%2Fmove&answer=shown"),
        (f"/builder?{NETWORK}&lang=en", True, f"/builder?{NETWORK}"),
        (f"/builder?{NETWORK}", False, f"/builder?{NETWORK}&answer=hidden"),
        ("/builder?start=unet", False, "/builder?start=unet&answer=hidden"),
    ],
)
def test_a_copied_link_gets_the_answer_or_holds_it_back(
    monkeypatch: pytest.MonkeyPatch, copied: str, is_revealed: bool, expected: str
) -> None:
    monkeypatch.setattr(visitor, "is_teacher", lambda: True)
    at = visit("teacher")
    at.text_input(key=program_links.ADDRESS).set_value(f" http://a.example:1{copied}").run()
    at.checkbox(key=program_links.REVEAL).set_value(is_revealed).run()

    assert expected in [re.sub(r"^https?://[^/]*", "", each.value) for each in at.code]


@pytest.mark.parametrize(
    "address",
    [
        "x",
        "http://[",
        "/tensors?step=moving",
        "/lab",
        "/lab?code=%E2%98%83",
        "/lab?from=nosuch",
        "/builder?network=eJy",
        "/builder?start=nosuch",
        "/lab?" + "&" * 9_000 + CODE,
    ],
)
def test_an_address_without_a_program_is_refused(address: str) -> None:
    with pytest.raises(program_links.NoProgramError):
        program_links.link(address, is_revealed=True)


def test_a_plan_of_a_file_is_the_one_that_was_saved() -> None:
    lesson = catalog.lesson(LESSON)
    steps = ["same_device_error", "default_device"]

    saved = lesson_links.plan_file(lesson, steps, ["lab"])

    assert lesson_links.read_plan(saved) == (LESSON, steps, ["lab"])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b"[" * 5_000,
        b" " * 30_000,
        json.dumps({"kind": lesson_links.KIND, "lesson": "gone", "steps": [], "hide": []}).encode(),
        json.dumps({"kind": "x", "lesson": LESSON, "steps": ["moving"], "hide": []}).encode(),
        json.dumps({"kind": lesson_links.KIND, "lesson": LESSON, "steps": 7, "hide": []}).encode(),
    ],
)
def test_a_file_that_holds_no_plan_is_refused(data: bytes) -> None:
    with pytest.raises(lesson_links.InvalidPlanError):
        lesson_links.read_plan(data)
