"""The lab in a real browser, with the real sandbox: write, run, read, send the link."""

import re
import sys
from collections.abc import Callable

import nbformat
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from playground import catalog
from playground.lab import exercises
from playground.steps import load_step
from tests.e2e.conftest import show_in, sideways, wait_until_drawn, words
from tests.e2e.visitor import TIMEOUT_MS
from ui.lab.url_state import from_link, to_link

Visit = Callable[..., Page]
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"),
]
BLOCK = """\
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, X):
        return X + torch.relu(self.linear(X))


net = Residual(4)
net(torch.ones(2, 4)).shape
"""


def open_lab(visit: Visit, source: str = "", **more: object) -> Page:
    code = f"?code={to_link(source)}" if source else ""
    page = visit(f"/lab{code}", **more)
    expect(editor(page)).to_be_visible()
    wait_until_drawn(page)
    return page


def editor(page: Page) -> Locator:
    return page.locator(".cm-content")


def at_line(page: Page, number: int) -> Locator:
    """A line of the program that ran."""
    return page.locator(".st-key-lab-right .pp-line").nth(number - 1)


def write(page: Page, text: str) -> None:
    editor(page).click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def run(page: Page) -> None:
    page.locator(".st-key-lab-run button").click()


def source(page: Page) -> str:
    return "\n".join(page.locator(".cm-line").all_inner_texts()).replace("\n\n", "\n")


def linked(address: str) -> str | None:
    found = re.findall(r"[?&]code=([\w-]+)", address)
    return from_link(found[0]) if found else None


@pytest.mark.covers("X1")
def test_a_program_is_written_run_and_answered_or_refused_at_its_line(visit):
    page = visit("/lab?machine=real")
    write(page, "import torch\nprint('<b>hello</b>')\ntorch.arange(3) + 1")
    page.keyboard.press("Control+Enter")

    expect(page.locator(".tp-ok")).to_be_visible()
    expect(page.locator(".tp-ok")).not_to_contain_text(words("machine.simulated-result"))
    expect(at_line(page, 2).locator(".pp-printed")).to_have_text("<b>hello</b>")
    expect(page.locator(".tp-text")).to_have_text("tensor([1, 2, 3])")
    panel = page.locator(".st-key-lab-right .pp")
    panel.evaluate("each => { each.isTheSame = true; }")

    write(page, "import torch\nX = torch.ones(2, 3)\nX @ X")
    run(page)
    expect(page.locator(".tp-refused")).to_contain_text("RuntimeError")
    expect(at_line(page, 3).locator(".pp-answer")).to_contain_text("mat1 and mat2 shapes")
    expect(at_line(page, 2).locator(".pp-note")).to_have_text("X (2, 3) float32cpu")
    expect(page.locator(".pp-printed")).to_have_count(0)
    assert panel.evaluate("each => each.isTheSame")
    expect(page.locator(".cm-marked")).to_have_text("X @ X")
    wait_until_drawn(page)
    text = "import torch\nX = torch.ones(2, 3)\nX @ X"
    page.wait_for_url(lambda address: linked(address) == text)

    write(page, "import torch\nimport ctypes\n")
    run(page)
    expect(page.locator(".tp-refused")).to_contain_text(words("lab.not-allowed"))
    expect(page.locator(".cm-marked")).to_have_text("import ctypes")
    wait_until_drawn(page)
    again = visit("/" + page.url.split("/", 3)[3])
    expect(editor(again)).to_contain_text("import ctypes")


@pytest.mark.covers("X2")
def test_a_shown_program_opens_in_the_lab_and_runs_and_one_press_of_back_returns_to_it(visit):
    page = visit("/?machine=simulated&gpus=3")
    page.locator("[data-testid=stSidebarNavLink][href*='/tensors']").click()
    page.locator(".pp-dot").nth(1).click()
    left = page.locator("select[data-field=left]")
    left.select_option("cpu")
    expect(page).to_have_url(re.compile("left=cpu"))
    page.locator("[data-key=lab]").click()
    expect(editor(page)).to_contain_text('device="cpu"')
    wait_until_drawn(page)
    shown = load_step("tensors", "same_device_error")(left="cpu")
    assert source(page).split() == shown.program().split()
    assert "from=tensors%2Fsame_device_error" in page.url
    assert "gpus=3" in page.url
    run(page)
    expect(page.locator(".tp-ok")).to_be_visible()
    expect(page.locator(".tp-ok")).to_contain_text(words("machine.simulated-result"))
    wait_until_drawn(page)

    page.go_back()
    expect(left).to_have_value("cpu")
    expect(left.locator("option[value='cuda:2']")).to_have_count(1)
    wait_until_drawn(page)
    page.go_back()
    expect(page.locator(".pp-title")).to_have_text(catalog.lesson("tensors").steps[0].title.en)


@pytest.mark.covers("X3")
def test_a_block_of_ones_own_is_traced_drawn_and_checked_also_on_a_phone(visit):
    page = open_lab(visit, f"# {'long ' * 60}\nprint('wide' * 200)\n" + BLOCK, width=390)
    run(page)

    expect(page.locator(".tp-ok")).to_be_in_viewport()  # the result is brought into view
    expect(page.locator(".tp-text")).to_have_text("torch.Size([2, 4])")
    expect(page.locator(".tp-table:visible").first).to_contain_text("linear")
    page.get_by_role("tab", name=words("lab.tab-gradients")).first.click()
    checked = page.locator(".tp-table:visible").first
    expect(checked).to_contain_text("linear.weight")
    expect(checked).to_contain_text(words("lab.gradient-matches"))
    page.get_by_role("tab", name=words("lab.tab-tree")).first.click()
    expect(page.get_by_role("img", name=words("builder.tree-alt")).first).to_be_visible()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        wait_until_drawn(page)
        assert sideways(page) == 0


ENDLESS = """import time
import matplotlib.pyplot as plt
print("begun")
plt.plot([1, 2])
plt.show()
optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)])
while True:
    optimizer.step()
    time.sleep(0.1)
"""


def test_a_run_is_seen_while_it_goes_on_and_the_text_is_changed_and_stopped(visit):
    page = open_lab(visit, ENDLESS)
    run(page)
    expect(page.locator(".tp-tail")).to_contain_text("begun")
    image = page.locator(".st-key-lab-live .tp-figure img")
    expect(image).to_be_visible()
    assert image.evaluate("async image => (await image.decode(), image.naturalWidth)") > 400
    expect(page.locator(".tp-now")).to_contain_text(re.compile("step|sleep"))  # after it
    editor(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# mine")
    page.locator(".st-key-lab-stop button").click()
    expect(page.locator(".st-key-lab-stop")).to_have_count(0)
    expect(page.locator(".tp-refused").first).to_contain_text(words("lab.stopped"))
    expect(page.locator(".pp-printed")).to_have_text("begun")
    expect(page.locator(".tp-figure img")).to_be_visible()
    wait_until_drawn(page)
    page.wait_for_url(lambda address: linked(address) == ENDLESS + "# mine")

    write(page, "print(6 * 7)")
    run(page)
    expect(page.locator(".pp-printed")).to_have_text("42")


COMPLETED = {
    "import torch\ntorch.rel": "import torch\ntorch.relu",
    "from torch.nn import Seq": "from torch.nn import Sequential",
    "hidden_units = 3\nhid": "hidden_units = 3\nhidden_units",
    "import torch\nX = torch.ones(2)\nX.resh": "import torch\nX = torch.ones(2)\nX.reshape",
    "nn.Linear(2, 3, bi": "nn.Linear(2, 3, bias=)",
    "class Net(nn.Module):\nself.hid = 1\nself.h": (
        "class Net(nn.Module):\n    self.hid = 1\n    self.hid"
    ),
}


def test_names_are_completed_by_tab_and_not_by_enter_and_explained(visit):
    page = open_lab(visit)
    offered = page.locator(".cm-tooltip-autocomplete")
    for typed, text in COMPLETED.items():
        write(page, "")
        page.keyboard.type(typed)
        expect(offered.locator("[aria-selected]")).to_be_visible()
        page.keyboard.press("Tab")
        expect(offered).to_have_count(0)
        assert source(page) == text
    write(page, "")
    page.keyboard.type("x = y")
    expect(offered).to_contain_text("yield")
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    expect(editor(page)).to_have_text("x = y")

    write(page, "import torch\ntorch.relu")
    page.keyboard.type("(")
    # of the call, or under the pointer: the list of names may still be open, and describes one too
    described = page.locator(".cm-tooltip.cm-described, .cm-tooltip-hover .cm-described")
    expect(described).to_contain_text("input")
    page.keyboard.press("Escape")
    expect(described).to_have_count(0)
    page.locator(".cm-line span", has_text="relu").hover()
    expect(described).to_contain_text("torch.relu(input")
    expect(described).to_contain_text("rectified linear unit")


def test_the_editor_has_colours_keys_marks_for_errors_and_a_name_in_both_languages(visit):
    page, seen = open_lab(visit, 'def f():\n    return "text", 12345\n'), {}
    for scheme in ("light", "dark"):
        show_in(page, scheme)
        spans = page.locator(".cm-line span")
        seen[scheme] = {
            spans.filter(has_text=re.compile(f"^{text}$")).first.evaluate(
                "each => getComputedStyle(each).color"
            )
            for text in ("def", '"text"', "12345")
        }
        assert len(seen[scheme]) == 3
    assert not seen["light"] & seen["dark"]

    write(page, "import torch\nprint(torch.ones(2)")
    expect(page.locator(".cm-lintRange-error")).to_contain_text("(torch.ones(2)")
    expect(page.locator(".cm-marked")).to_have_count(0)  # the colour of a line is for a run
    page.keyboard.press("Control+End")
    page.keyboard.type(")")
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)

    write(page, "x = 1\ny = x")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+/")
    expect(page.locator(".cm-line").first).to_have_text("# x = 1")
    page.keyboard.press("Control+/")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+d")
    page.keyboard.press("Control+d")
    page.keyboard.type("z")
    assert source(page) == "z = 1\ny = z"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+f")
    page.keyboard.type("y")
    expect(page.locator(".cm-searchMatch")).to_have_count(1)

    expect(page.get_by_role("textbox", name=words("lab.editor"))).to_be_visible()
    page.locator(".st-key-lang").get_by_text("中文").click()
    expect(page.get_by_role("textbox", name=words("lab.editor", "zh"))).to_be_visible()


def test_without_the_editor_an_ordinary_text_field_takes_its_place(arrive, server):
    page = arrive()

    def refuse(route: Route) -> None:
        route.fulfill(status=200, content_type="text/javascript", body="export default () => {};")

    page.route("**/editor.js*", refuse)
    page.goto(f"{server}/lab")
    field = page.get_by_role("textbox", name=words("lab.editor"))
    expect(field).to_be_visible()
    expect(field).to_have_js_property("tagName", "TEXTAREA")
    wait_until_drawn(page)
    field.fill("print(6 * 7)")
    page.keyboard.press("Control+Enter")
    wait_until_drawn(page)
    run(page)

    shown = page.locator(".st-key-lab-right [data-testid=stCode]").last
    expect(shown).to_contain_text("line 1: 42")


def test_files_and_a_link_have_the_program_as_it_is_at_the_click(arrive, server):
    page = arrive()
    code = to_link("x = '你好'")
    with page.expect_websocket() as line:
        page.goto(f"{server}/lab?code={code}")
    wait_until_drawn(page)
    saved = {}
    for kind in ("py", "ipynb"):
        with page.expect_download() as expected:
            page.get_by_role("button", name=f".{kind}", exact=True).click()
        saved[expected.value.suggested_filename] = expected.value.path().read_text("utf-8")
    [cell] = nbformat.reads(saved["lab.ipynb"], as_version=4).cells
    assert saved["lab.py"] == f"{cell.source}\n" == "x = '你好'\n"

    wait_until_drawn(page)
    write(page, "x = 2")
    page.get_by_role("button", name=".py", exact=True).hover()
    with line.value.expect_event("framesent"):  # the editor tells what was written
        page.mouse.down()
    with page.expect_download() as expected:
        page.mouse.up()
    assert expected.value.path().read_text() == "x = 2\n"

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    write(page, "x = 3")
    page.get_by_role("button", name=words("strip.copy_link")).click()
    expect(page.get_by_role("button", name=words("strip.copied"))).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{server}/lab?")
    assert linked(copied) == "x = 3"


def tabs(page: Page) -> Locator:
    return page.locator(".tp-programs").get_by_role("tab")  # the tab list owns them by their ids


def test_programs_are_kept_in_tabs_with_what_can_be_undone_also_after_a_reload(visit):
    page = open_lab(visit, "# first")
    page.get_by_role("button", name=words("strip.add")).click()
    wait_until_drawn(page)
    expect(editor(page)).to_be_focused()
    page.keyboard.type("# second")
    wait_until_drawn(page)
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.type("# third")
    page.reload()
    expect(tabs(page)).to_have_text(["first", "third"])
    page.wait_for_url(lambda address: linked(address) == "# third")
    undo = page.get_by_role("button", name=words("strip.undo"))
    while source(page) != "# second":  # what was typed slowly is undone in several steps
        undo.click(timeout=TIMEOUT_MS)

    tabs(page).last.focus()
    page.keyboard.press("ArrowLeft")
    expect(editor(page)).to_have_text("# first")
    page.wait_for_url(lambda address: linked(address) == "# first")
    page.keyboard.press("Delete")
    expect(editor(page)).to_have_text("# second")
    page.get_by_role("button", name=words("strip.reopen")).click()
    expect(editor(page)).to_have_text("# first")


def open_exercise(page: Page, task: exercises.Exercise) -> None:
    page.locator(f".st-key-open-lab-{task.id} button").click()
    expect(page.locator(".st-key-lab-task")).to_contain_text(task.title.en)
    wait_until_drawn(page)


def test_an_exercise_is_solved_and_counted_and_has_what_was_written_when_it_is_opened_again(visit):
    task, other = exercises.exercises()[:2]
    page = open_lab(visit)
    open_exercise(page, task)
    expect(page.locator(".st-key-lab-task .tp-heading")).to_be_in_viewport()
    page.locator(".st-key-lab-hint button").click()
    expect(page.locator(".tp-hints li")).to_have_count(1)
    page.locator(".st-key-lab-check button").click()
    expect(page.locator(".tp-checks .tp-miss").first).to_be_visible()

    write(page, task.model)
    page.locator(".st-key-lab-check button").click()
    expect(page.locator(".tp-checks .tp-hit")).to_have_count(len(task.checks))
    expect(page.locator(f".st-key-open-lab-{task.id}")).to_contain_text("✓")
    assert f"from={task.id}" in page.url

    write(page, "mine = 1")
    page.locator(f".st-key-lab-solution-{task.id} summary").click()
    page.locator(".st-key-lab-solution-take button:visible").click()
    expect(editor(page)).to_contain_text("import torch")
    page.get_by_role("button", name=words("strip.undo")).click()
    expect(editor(page)).to_have_text("mine = 1")
    wait_until_drawn(page)

    write(page, "mine = 2")
    open_exercise(page, other)  # while the text is pending
    open_exercise(page, task)
    expect(editor(page)).to_have_text("mine = 2")
    page.wait_for_url(lambda address: linked(address) == "mine = 2")
    page.reload()
    expect(page.locator(f".st-key-open-lab-{task.id}")).to_contain_text("✓")
