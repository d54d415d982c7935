import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog
from playground.catalog import Language
from playground.modules.spec.link import to_link
from playground.modules.spec.starts import STARTS
from tests.pages.app import keys, said, sentence
from tests.pages.gated import visit
from ui import url_state
from ui.lab import url_state as lab_url
from ui.panel import plain, view
from ui.teacher import lesson_links, program_links

pytestmark = pytest.mark.usefixtures("class_server")
LESSON = "tensors"
PLAN = ["same_device_error", "default_device"]


def at_lesson(**address: str) -> AppTest:
    return visit(LESSON, **{"step": "same_device_error", **address})


def test_a_plan_shows_its_steps_in_its_order_and_no_others():
    lesson = catalog.lesson(LESSON)
    at = at_lesson(plan=",".join(["nosuch", *PLAN, PLAN[0]]))
    page = at.session_state[f"page-{LESSON}"]

    assert [each.id for each in page.lesson.steps] == PLAN
    following = sentence("panel.next-step", title=lesson.step(PLAN[1]).title.en)
    assert following in [each.label for each in at.button]
    assert page.query.count("plan=") == 1 or at.query_params["plan"]

    at.query_params["step"] = next(each.id for each in lesson.steps if each.id not in PLAN)
    at.run()
    assert page.current in PLAN
    at.query_params["plan"] = "all"
    at.run()
    assert at.session_state[f"page-{LESSON}"].lesson.steps == lesson.steps


@pytest.mark.parametrize("nonsense", ["", ",", "nosuch", "<b>", "x" * 3_000])
def test_a_plan_without_a_step_is_no_plan(nonsense):
    at = at_lesson(plan=nonsense)
    assert not at.exception
    assert at.session_state[f"page-{LESSON}"].lesson == catalog.lesson(LESSON)


def test_what_the_address_hides_is_not_there_and_a_hidden_setting_is_plain_text():
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


@pytest.mark.parametrize("name", url_state.HIDEABLE_PARTS)
def test_each_part_that_can_be_hidden_is_one_of_the_page(name):
    known = {*url_state.PANEL_DATA, *url_state.PAGE_PARTS, *view.interface_words(Language.EN)}
    assert name in known
    assert sentence(f"teacher.hide-{name}", "zh")


def test_a_link_may_carry_the_answer():
    assert "RuntimeError" not in said(at_lesson())
    assert "Expected all tensors to be on the same device" in said(at_lesson(answer="shown"))


def test_the_teacher_composes_a_link_that_leads_there(teacher):
    at = visit("teacher")
    at.selectbox(key=lesson_links.LESSON).set_value(LESSON).run()
    at.multiselect(key=lesson_links.STEPS).set_value(PLAN).run()
    at.multiselect(key=lesson_links.HIDE).set_value(["lab"]).run()
    at.selectbox(key=lesson_links.ROUND).set_value(2).run()
    at.checkbox(key=lesson_links.REVEAL).check().run()

    (url,) = [each.value for each in at.code if f"/{LESSON}" in each.value]
    query = dict(re.findall(r"[?&](\w+)=([^&]*)", url))
    shown = {"step": PLAN[0], "plan": ",".join(PLAN), "hide": "lab", "answer": "shown"}
    assert query == {**shown, "round": "2"}
    there = visit(LESSON, **query)
    page = there.session_state[f"page-{LESSON}"]
    assert (page.current, page.steps[page.current].round) == (PLAN[0], 2)


NETWORK = f"network={to_link(STARTS['gpt'])}"
CODE = f"code={lab_url.to_link('print(1)')}"


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
def test_a_copied_link_gets_the_answer_or_holds_it_back(teacher, copied, is_revealed, expected):
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
def test_an_address_without_a_program_is_refused(address):
    with pytest.raises(program_links.NoProgramError):
        program_links.link(address, is_revealed=True)


def test_a_plan_of_a_file_is_the_one_that_was_saved():
    saved = lesson_links.plan_file(catalog.lesson(LESSON), PLAN, ["lab"])
    assert lesson_links.read_plan(saved) == (LESSON, PLAN, ["lab"])


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
def test_a_file_that_holds_no_plan_is_refused(data):
    with pytest.raises(lesson_links.InvalidPlanError):
        lesson_links.read_plan(data)
