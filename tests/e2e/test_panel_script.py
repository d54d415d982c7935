"""The browser side of the program panel alone: its script and sheet, fed with plain data."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from playground import catalog
from playground.steps import Step, load_step
from tests.answers import answer_once
from tests.e2e.test_accessibility import violations
from tests.waiting import wait_until
from ui import theme
from ui.middleware import content_security_policy
from ui.panel import view

pytestmark = pytest.mark.e2e
HERE = Path(__file__).parent
ASSETS = Path(__file__).resolve().parents[2] / "ui" / "panel" / "assets"
HOST = "http://panel.test"
WIDTH = 955  # of the panel in a window of 1280
LESSONS = catalog.lessons()
LEFT_OF_NUMBERS = """() => { const text = new Range(), shown = document.querySelector('.pp-number');
    text.selectNodeContents(shown.firstChild); return text.getBoundingClientRect().left; }"""
KINDS = {".js": "text/javascript", ".css": "text/css"}
STREAMLIT = (
    "--st-text-color: light-dark(#1C2330, #E6E9EF);"
    "--st-border-color: light-dark(#E3E6EB, #2B3340);"
    "--st-background-color: light-dark(#FFFFFF, #12161D);"
    "--st-primary-color: light-dark(#5B4BC4, #A498FF); --st-code-font: monospace"
)
PAGE = f"""<!doctype html><html><head>
<meta name="viewport" content="width=device-width">{theme.style_sheet()}
<style>body {{ margin: 0; background: light-dark(#FFFFFF, #12161D); color-scheme: light dark; }}
</style></head><body data-testid="stApp"><main id="parent" style="{STREAMLIT}">
<link rel="stylesheet" href="/assets/panel.css"></main>
<script type="module" src="/host.js"></script></body></html>"""
WORDS = {
    name: name.replace("_", " ").capitalize()
    for name in (
        *("run", "apply", "again", "another_round", "next", "previous", "edit", "copy_link"),
        *("copied", "hint", "reset", "steps", "settings", "program", "done", "challenges"),
        *("copy", "lab", "same_again"),
    )
}
DEVICES = ("cpu", "cuda:0", "cuda:1")
OF_PAGE = {
    "key": "lesson/step",
    "acknowledged": 0,
    "rail": [
        {"id": f"s{index}", "title": f"Step {index}", "state": state}
        for index, state in enumerate(("done", "current", *["open"] * 12))
    ],
    "overline": "A lesson · step 2 of 14",
    "link": f"{HOST}/?step=s1",
    "store": {"done": []},
}


def select(field: str, value: str, options: tuple[str, ...] = DEVICES) -> dict[str, Any]:
    shown = tuple({"value": each, "shown": f'"{each}"'} for each in options)
    is_device = options == DEVICES
    common = {"field": field, "label": f"{field} label", "kind": "select", "value": value}
    return {**common, "options": shown, "is_device": is_device}


def number(field: str, value: str) -> dict[str, Any]:
    bounds = {"least": 2, "most": 4, "increment": 1}
    return {"field": field, "label": field, "kind": "number", "value": value, **bounds}


def text(field: str, value: str) -> dict[str, Any]:
    quotes = {"prefix": '"', "suffix": '"', "max_length": 9}
    return {"field": field, "label": field, "kind": "text", "value": value, **quotes}


def step(
    *, device: str = "cpu", rows: str = "2", name: str = "w", is_open: bool = True, **more: Any
) -> dict[str, Any]:
    """The data of a step with one control of each kind; its line 173 fails."""
    make = [{"text": "X = torch.ones("}, number("rows", rows), {"text": ", 2, device="}]
    lines: list[dict[str, Any]] = [
        {"number": 171, "parts": [{"text": "import torch  # a comment"}]},
        {"number": 172, "parts": [*make, select("device", device), {"text": ")"}]},
        {"number": 173, "parts": [{"text": "print(Y, "}, text("name", name), {"text": ", 1.5)"}]},
        {"number": 174, "parts": [{"text": f"return {name}"}]},
    ]
    lines[2]["mark"] = "asked" if is_open else "failed"
    data = {
        **OF_PAGE,
        "words": WORDS,
        "title": "A step",
        "prose_html": f"<p>Read <code>X</code> and <code>{'long' * 15}</code>.</p>",
        "badge": "simulated",
        "row": [number("seed", "3")],
        "lines": lines,
        "picture": {
            "svg": f'<svg viewBox="0 0 360 200"><rect data-id="X" width="9" height="9"'
            f' x="{100 * DEVICES.index(device)}"/></svg>',
            "alt": f"X is on {device}",
        },
        "question": {
            "html": "What will line 173 do?",
            "answers": [{"id": each, "html": each} for each in ("works", "NameError")],
            "is_open": is_open,
        },
        "challenges": [{"id": "c", "html": "Make it work", "is_met": False, "hint_html": "Try."}],
        "rounds": {"now": 1, "count": 2},
        "next": {"id": "s2", "label": "Next: Step 2", "is_primary": not is_open},
        "query": f"?device={device}",
    }
    if not is_open:
        data["question"] |= {"said": "works", "truth": "NameError"}
        lines[1] |= {"notes": [{"text": "X (2, 2)", "devices": [device]}], "printed": "2\n"}
        lines[1] |= {"warnings": ["UserWarning: old"], "remarks_html": ["No <code>input</code>."]}
        box = {"tone": "refused", "title_html": "NameError", "said_html": "you said: works"}
        lines[2]["answer"] = {**box, "text_html": "name 'Y' is not defined"}
        lines[2]["fix"] = {"text": "print(X)", "note_html": "X exists"}
        lines[3]["mark"] = "after"
        data |= {"facts_html": "<p>none</p>", "reason_html": "<p>No name.</p>"}
    return {**data, **more}


@pytest.fixture
def open_panel(browser):
    """A page that has the panel's script under the content security policy, and nothing else."""
    contexts, problems = [], []

    def answer(route: Route) -> None:
        path = Path(route.request.url.removeprefix(HOST).partition("?")[0])
        headers = {"content-security-policy": content_security_policy()}
        if path.parent == Path("/assets"):
            body = (ASSETS / path.name).read_text("utf-8")
        else:
            body = (HERE / "panel_host.js").read_text() if path.name == "host.js" else PAGE
        route.fulfill(body=body, content_type=KINDS.get(path.suffix, "text/html"), headers=headers)

    def open_page(data: dict[str, Any], width: int = 1000, **options: Any) -> Page:
        viewport = {"width": width, "height": 900}
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda each: each.type == "error" and problems.append(each.text))
        page.on("pageerror", lambda each: problems.append(str(each)))
        page.route("**/*", answer)
        page.goto(f"{HOST}/")
        page.wait_for_function("window.isReady")
        feed(page, data)
        expect(page.get_by_role("heading", name=data["title"])).to_be_visible()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def feed(page: Page, data: dict[str, Any]) -> None:
    page.evaluate("(data) => void window.feed(data)", data)


def sent(page: Page) -> list[dict[str, Any]]:
    """The events since the last look, without serial numbers."""
    events = page.evaluate("window.sent.splice(0)")
    return [{k: v for k, v in each.items() if k not in ("serial", "before")} for each in events]


def test_new_data_patches_the_panel_and_leaves_focus_caret_and_opened_details(open_panel):
    page = open_panel(step())
    page.evaluate("window.first = document.querySelector('.pp')")
    page.get_by_text("Hint").click()
    field = page.get_by_label("name", exact=True)
    field.press("End")
    field.press_sequentially("xyz")
    page.evaluate("document.activeElement.setSelectionRange(2, 2)")
    feed(page, step(device="cuda:1"))
    assert page.evaluate("document.querySelector('.pp') === window.first")
    assert page.evaluate("document.querySelectorAll('.pp').length") == 1
    expect(page.get_by_label("device label")).to_have_value("cuda:1")
    expect(field).to_be_focused()
    expect(field).to_have_value("wxyz")  # still being typed
    assert page.evaluate("document.activeElement.selectionStart") == 2
    expect(page.get_by_text("Try.")).to_be_visible()


def test_a_select_keeps_the_focus_when_its_change_is_answered(open_panel):
    page = open_panel(step())
    page.get_by_label("device label").focus()
    page.get_by_label("device label").select_option("cuda:0")
    assert sent(page) == [{"type": "change", "field": "device", "value": "cuda:0"}]
    feed(page, step(device="cuda:0", is_open=False))
    expect(page.get_by_label("device label")).to_be_focused()


def test_an_event_carries_those_before_it_until_they_are_acknowledged(open_panel):
    page = open_panel(step())
    page.get_by_label("device label").select_option("cuda:0")
    page.get_by_label("name", exact=True).fill("v")
    page.get_by_role("button", name="NameError").click()
    events = page.evaluate("window.sent")
    assert [each["type"] for each in events] == ["change", "change", "answer"]
    assert [len(each["before"]) for each in events] == [0, 1, 2]
    serials = [each["serial"] for each in events]
    assert serials == sorted({*serials})
    feed(page, step(acknowledged=serials[0] - 1))  # an answer to something earlier
    expect(page.get_by_label("device label")).to_have_value("cuda:0")
    feed(page, step(acknowledged=serials[2]))  # the server has refused the changes
    expect(page.get_by_label("device label")).to_have_value("cpu")
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate("window.sent.at(-1).before") == []


def test_a_number_out_of_bounds_says_so_and_is_not_sent(open_panel):
    page = open_panel(step())
    field = page.get_by_label("rows")
    field.fill("9")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_attribute("title", "2 … 4")
    page.get_by_role("button", name="Reset").click()  # takes a waiting change along
    assert sent(page) == [{"type": "reset"}]
    feed(page, step(acknowledged=1))
    field.fill("4")
    field.press("Enter")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Reset").click()
    assert sent(page) == [{"type": "change", "field": "rows", "value": "4"}, {"type": "reset"}]


def test_a_step_is_answered_and_mended_by_keyboard(open_panel):
    page = open_panel(step())
    status = page.get_by_role("status")
    expect(status).to_be_empty()
    page.keyboard.press("2")
    assert sent(page) == [{"type": "answer", "id": "NameError"}]
    feed(page, step(is_open=False))
    expect(page.locator(".pp-answer")).to_be_focused()
    expect(status).to_contain_text("name 'Y' is not defined")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert sent(page) == [{"type": "apply"}]


def test_digits_in_a_field_are_no_answer_and_ctrl_enter_takes_what_is_typed_along(open_panel):
    page = open_panel(step())
    field = page.get_by_label("name", exact=True)
    field.press("End")
    field.press("1")
    field.press("Control+Enter")
    assert sent(page) == [{"type": "change", "field": "name", "value": "w1"}, {"type": "run"}]


def test_the_rail_is_walked_by_arrows_and_the_next_step_gets_the_focus(open_panel):
    page = open_panel(step())
    page.get_by_role("button", name="2. Step 1", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pp-overline")).to_have_text("3. Step 2")
    page.keyboard.press("Enter")
    assert sent(page) == [{"type": "step", "id": "s2"}]
    feed(page, step(key="lesson/other", title="Another step"))
    expect(page.get_by_role("heading", name="Another step")).to_be_focused()
    expect(page.get_by_role("status")).to_be_empty()


def test_what_was_stored_is_reported_once_and_the_store_written_afterwards(open_panel):
    page = open_panel(step(store=None))
    feed(page, step(store=None, device="cuda:0"))
    assert sent(page) == [{"type": "restore", "stored": None}]
    feed(page, step(store={"done": ["lesson/step"], "said": {"lesson/step": ["1", "2"]}}))
    feed(page, step(store={"done": ["other/step"], "said": {"other/step": ["3", "3"]}}))
    stored = json.loads(page.evaluate("localStorage.getItem('torch-playground')"))
    assert stored == {
        "done": ["lesson/step", "other/step"],  # another tab may have done the first
        "said": {"lesson/step": ["1", "2"], "other/step": ["3", "3"]},
    }


def test_the_address_follows_without_history_also_where_streamlit_puts_one_back_late(open_panel):
    page = open_panel(step())
    length = page.evaluate("history.length")
    feed(page, step(device="cuda:1"))
    assert page.url == f"{HOST}/?device=cuda:1"
    for _ in range(2):
        page.evaluate("history.replaceState(null, '', location.pathname + '?device=cpu')")
        expect(page).to_have_url(f"{HOST}/?device=cuda:1")
    assert page.evaluate("history.length") == length


def test_the_panel_listens_until_it_has_left_the_page(open_panel):
    page = open_panel(step())
    later = "() => new Promise((done) => (window.cleanup(), setTimeout(done, 50)))"
    sent(page)
    page.get_by_label("seed", exact=True).press("ArrowUp")  # is sent a moment later
    page.evaluate(later)  # Streamlit does so where data follow quickly
    wait_until(lambda: page.evaluate("sent.length"))
    assert sent(page) == [{"type": "change", "field": "seed", "value": "4"}]
    page.locator(".pp-title").focus()
    page.keyboard.press("1")
    assert [each["type"] for each in sent(page)] == ["answer"]
    page.evaluate("document.querySelector('#parent').remove()")
    page.evaluate(later)
    page.keyboard.press("1")
    assert sent(page) == []


def test_forward_counts_before_back_is_answered_and_keeps_its_address_then(open_panel):
    page = open_panel(step() | {"query": "?step=s1"})
    page.evaluate("history.pushState(null, '', '?step=s2')")
    feed(page, step() | {"query": "?step=s2"})
    sent(page)
    page.go_back()
    serial = page.evaluate("window.sent.at(-1).serial")
    page.go_forward()
    assert sent(page) == [{"type": "step", "id": "s1"}, {"type": "step", "id": "s2"}]
    feed(page, step() | {"query": "?step=s1", "acknowledged": serial})
    assert page.url == f"{HOST}/?step=s2"


@pytest.mark.parametrize(("motion", "count"), [("no-preference", 1), ("reduce", 0)])
def test_marks_glide_unless_the_visitor_wants_stillness(open_panel, motion, count):
    page = open_panel(step(), reduced_motion=motion)
    moving = "(data) => (feed(data), document.querySelector('[data-id=X]').getAnimations().length)"
    assert page.evaluate(moving, step(device="cuda:1")) == count


def test_a_fix_of_two_lines_stands_on_two_lines(open_panel):
    fix = {"text": "with no_grad():\n    w = 42"}
    page = open_panel(step(lines=[{"number": 1, "parts": [{"text": "x = 1"}], "fix": fix}]))
    first, second = page.locator(".pp-fix .pp-code").all()
    assert (first.inner_text(), second.inner_text()) == ("with no_grad():", "    w = 42")
    assert first.bounding_box()["y"] < second.bounding_box()["y"]


def test_texts_are_no_markup(open_panel):
    hostile = "<img src=x onerror=alert(1)>"
    lines = [{"number": 1, "parts": [{"text": hostile}, select("device", hostile, (hostile,))]}]
    lines[0] |= {"notes": [{"text": hostile}], "printed": hostile, "warnings": [hostile]}
    rail = [{"id": "a", "title": hostile, "state": "current"}]
    page = open_panel(step(lines=lines, title=hostile, badge=hostile, overline=hostile, rail=rail))
    assert page.locator(".pp img").count() == 0


def test_a_long_output_has_a_button_that_copies_it(open_panel):
    report, short = "a\nb\n c\nd", "a\nb"
    lines = [
        {"number": number, "parts": [{"text": "print(x)"}], "printed": printed}
        for number, printed in ((1, report), (2, short))
    ]
    page = open_panel(step(lines=lines))
    button = page.get_by_role("button", name="Copy", exact=True)
    button.click()  # this page has no clipboard, as on a host without https
    assert page.evaluate("getSelection().toString()").strip() == report
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard',"
        " { value: { writeText: async (text) => void (window.copied = text) } })"
    )
    button.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("window.copied") == report


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(open_panel, scheme):
    page = open_panel(step(), color_scheme=scheme, reduced_motion="reduce")
    script = (HERE / "text_contrasts.js").read_text()
    for is_open in (True, False):
        feed(page, step(is_open=is_open))
        contrasts = page.evaluate(script, [".pp *:not(svg *, option)", "color"])
        assert len(contrasts) > 30
        assert [each for each in contrasts if each[1] < 4.5] == []


def test_a_phone_shows_everything_with_targets_for_fingers(open_panel):
    page = open_panel(step(), width=390, has_touch=True, is_mobile=True)
    for is_open in (True, False):
        feed(page, step(is_open=is_open))
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.evaluate(LEFT_OF_NUMBERS) > 4  # the border and the bar of the answer
        targets = page.locator(".pp :is(button, select, input, summary, a):visible")
        boxes = [each.bounding_box() for each in targets.all()]
        assert len(boxes) > 15
        assert min(min(box["width"], box["height"]) for box in boxes) >= 40


@pytest.mark.parametrize("number", range(len(LESSONS)), ids=[each.name for each in LESSONS])
def test_every_step_of_a_lesson_is_drawn_asked_and_answered_fits_and_has_no_violation(
    open_panel, number
):
    lesson, language = LESSONS[number], list(catalog.Language)[number % 2]
    page = open_panel(step(), width=WIDTH, color_scheme=("light", "dark")[number // 2 % 2])
    for words in lesson.steps:
        asked = load_step(lesson.name, words.id)()
        is_plain = type(asked).experiment is Step.experiment  # test_panel.py runs the others
        for answer in (None, answer_once(asked)) if is_plain else (None,):
            shown = view.Shown(
                step=asked, words=words, devices=DEVICES, language=language, answer=answer
            )
            data = {**OF_PAGE, "query": "?", **view.step_data(shown), "key": words.id}
            feed(page, json.loads(json.dumps(data)))
            heights = page.locator(".pp-line .pp-code").evaluate_all(
                "all => all.map(each => each.getClientRects().length && each.offsetHeight)"
            )
            assert max(heights) < 2 * min(filter(None, heights)), words.id  # no line wraps
            assert page.evaluate("document.documentElement.scrollWidth") == WIDTH, words.id
        expect(page.locator(".pp-reason")).to_have_count(int(is_plain))
    assert violations(page, ".pp") == []
