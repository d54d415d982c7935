"""The lab in a real browser, with the real sandbox: write, run, read, send the link."""

import re
import sys
from collections.abc import Callable

import nbformat
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from playground.lab import exercises
from playground.steps import load_step
from tests.e2e.conftest import sideways, wait_until_drawn
from tests.e2e.visitor import TIMEOUT_MS
from ui.lab.url_state import from_link, to_link
from ui.language import table

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


def words(key: str) -> str:
    return table()[key].en


def open_lab(visit: Visit, source: str = "", **more: object) -> Page:
    code = f"?code={to_link(source)}" if source else ""
    page = visit(f"/lab{code}", **more)
    expect(page.locator(".cm-content")).to_be_visible()
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


def source(page: Page) -> str:
    return "\n".join(page.locator(".cm-line").all_inner_texts()).replace("\n\n", "\n")


def linked(page: Page) -> str | None:
    found = re.findall(r"[?&]code=([\w-]+)", page.url)
    return from_link(found[0]) if found else None


@pytest.mark.covers("X1")
def test_a_program_is_written_run_and_answered(visit):
    page = open_lab(visit)
    write(page, "import torch\nprint('<b>hello</b>')\ntorch.arange(3) + 1")
    page.keyboard.press("Control+Enter")

    expect(page.locator(".tp-ok")).to_be_visible()
    expect(at_line(page, 2).locator(".pp-printed")).to_have_text("<b>hello</b>")
    expect(page.locator(".tp-text")).to_have_text("tensor([1, 2, 3])")
    panel = page.locator(".st-key-lab-right .pp")
    panel.evaluate("each => { each.isTheSame = true; }")

    write(page, "import torch\nX = torch.ones(2, 3)\nX @ X")
    page.locator(".st-key-lab-run button").click()
    expect(page.locator(".tp-refused")).to_contain_text("RuntimeError")
    expect(at_line(page, 3).locator(".pp-answer")).to_contain_text("mat1 and mat2 shapes")
    expect(at_line(page, 2).locator(".pp-note")).to_have_text("X (2, 3) float32cpu")
    expect(page.locator(".pp-printed")).to_have_count(0)
    assert panel.evaluate("each => each.isTheSame")
    expect(page.locator(".cm-marked")).to_have_text("X @ X")
    wait_until_drawn(page)
    assert linked(page) == "import torch\nX = torch.ones(2, 3)\nX @ X"

    again = visit("/" + page.url.split("/", 3)[3])
    expect(editor(again)).to_contain_text("X @ X")


@pytest.mark.covers("X2")
def test_a_shown_program_opens_in_the_lab_and_runs(visit):
    page = visit("/tensors?step=move&gpus=3")
    page.locator("[data-key=lab]").click()

    expect(editor(page)).to_be_visible()
    wait_until_drawn(page)
    assert source(page).split() == load_step("tensors", "move")().program().split()
    assert "from=tensors%2Fmove" in page.url  # it is this step's own program, which needs no code
    assert "gpus=3" in page.url
    page.locator(".st-key-lab-run button").click()
    expect(page.locator(".tp-ok")).to_be_visible()
    expect(page.locator(".tp-ok")).to_contain_text(words("machine.simulated-result"))


@pytest.mark.covers("X3")
def test_a_block_of_ones_own_is_traced_drawn_and_checked(visit):
    page = open_lab(visit, BLOCK)
    page.locator(".st-key-lab-run button").click()

    expect(page.locator(".tp-text")).to_have_text("torch.Size([2, 4])")
    expect(page.locator(".tp-table:visible").first).to_contain_text("linear")
    page.get_by_role("tab", name=words("lab.tab-gradients")).first.click()
    checked = page.locator(".tp-table:visible").first
    expect(checked).to_contain_text("linear.weight")
    expect(checked).to_contain_text(words("lab.gradient-matches"))
    page.get_by_role("tab", name=words("lab.tab-tree")).first.click()
    drawn = page.get_by_role("img", name=words("builder.tree-alt")).first
    expect(drawn).to_be_visible()


def test_what_the_lab_does_not_take_is_marked_and_explained(visit):
    page = open_lab(visit, "import torch\nimport ctypes\n")
    page.locator(".st-key-lab-run button").click()

    expect(page.locator(".tp-refused")).to_contain_text(words("lab.not-allowed"))
    expect(page.locator(".cm-marked")).to_have_text("import ctypes")


def test_a_loop_without_end_is_stopped_and_the_text_can_be_changed_meanwhile(visit):
    page = open_lab(visit, "while True:\n    pass\n")
    page.locator(".st-key-lab-run button").click()
    expect(page.locator(".st-key-lab-stop button")).to_be_visible()
    editor(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# mine")

    expect(page.locator(".tp-refused")).to_contain_text(re.compile(r"after \d s"))
    wait_until_drawn(page)
    assert linked(page) == "while True:\n    pass\n# mine"


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


def test_a_run_is_seen_while_it_goes_on_and_stopped_and_the_next_one_begins(visit):
    page = open_lab(visit, ENDLESS)
    page.locator(".st-key-lab-run button").click()
    expect(page.locator(".tp-tail")).to_contain_text("begun")
    image = page.locator(".st-key-lab-live .tp-figure img")
    expect(image).to_be_visible()
    assert image.evaluate("async image => (await image.decode(), image.naturalWidth)") > 400
    page.locator(".st-key-lab-stop button").click()
    expect(page.locator(".st-key-lab-stop")).to_have_count(0)
    expect(page.locator(".tp-refused").first).to_contain_text(words("lab.stopped"))
    expect(page.locator(".pp-printed")).to_have_text("begun")
    expect(page.locator(".tp-figure img")).to_be_visible()

    write(page, "print(6 * 7)")
    page.locator(".st-key-lab-run button").click()
    expect(page.locator(".pp-printed")).to_have_text("42")


def test_the_keyboard_enters_indents_and_leaves_the_editor(visit):
    page = open_lab(visit, "x = 1")
    page.get_by_role("button", name=words("strip.copy_link")).focus()
    page.keyboard.press("Tab")
    expect(editor(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(editor(page)).to_be_focused()
    expect(editor(page)).to_have_text("    x = 1")

    page.keyboard.press("Control+z")
    expect(editor(page)).to_have_text("x = 1")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(editor(page)).not_to_be_focused()


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("import torch\ntorch.rel", "import torch\ntorch.relu"),
        ("from torch.nn import Seq", "from torch.nn import Sequential"),
        ("hidden_units = 3\nhid", "hidden_units = 3\nhidden_units"),
        ("import torch\nX = torch.ones(2)\nX.resh", "import torch\nX = torch.ones(2)\nX.reshape"),
        ("nn.Linear(2, 3, bi", "nn.Linear(2, 3, bias=)"),
        (
            "class Net(nn.Module):\nself.hid = 1\nself.h",
            "class Net(nn.Module):\n    self.hid = 1\n    self.hid",
        ),
    ],
)
def test_tab_completes_a_name_of_torch_or_of_the_program(visit, typed, text):
    page = open_lab(visit)
    write(page, "")
    page.keyboard.type(typed)
    expect(page.locator(".cm-tooltip-autocomplete [aria-selected]")).to_be_visible()
    page.keyboard.press("Tab")

    expect(page.locator(".cm-tooltip-autocomplete")).to_have_count(0)
    assert source(page) == text


def test_enter_ends_a_line_though_names_are_offered(visit):
    page = open_lab(visit)
    write(page, "")
    page.keyboard.type("x = y")
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("yield")
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    expect(editor(page)).to_have_text("x = y")


def test_the_signature_of_a_call_and_what_a_name_means_are_shown(visit):
    page = open_lab(visit, "import torch\ntorch.relu")
    editor(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("(")
    shown = page.locator(".cm-described")
    expect(shown).to_contain_text("input")
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)

    page.locator(".cm-line span", has_text="relu").hover()
    expect(shown).to_contain_text("torch.relu(input")
    expect(shown).to_contain_text("rectified linear unit")


def test_keys_comment_search_and_write_in_several_places(visit):
    page = open_lab(visit, "x = 1\ny = x")
    editor(page).click()
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


def test_an_error_is_marked_while_typing_and_goes_when_it_is_mended(visit):
    page = open_lab(visit, "x = 1")
    write(page, "import torch\nprint(torch.ones(2)")
    expect(page.locator(".cm-lintRange-error")).to_contain_text("(torch.ones(2)")
    expect(page.locator(".cm-marked")).to_have_count(0)  # the colour of a line is for a run
    page.keyboard.press("Control+End")
    page.keyboard.type(")")
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)


def test_the_editor_has_a_name_for_those_who_do_not_see_it(visit):
    page = open_lab(visit)

    expect(page.get_by_role("textbox", name=words("lab.editor"))).to_be_visible()
    page.locator(".st-key-lang").get_by_text("中文").click()
    expect(page.get_by_role("textbox", name=table()["lab.editor"].zh)).to_be_visible()


def test_keywords_strings_and_numbers_have_colours_of_their_own(visit):
    seen = {}
    for scheme in ("light", "dark"):
        page = open_lab(visit, 'def f():\n    return "text", 12345\n', scheme=scheme)
        spans = page.locator(".cm-line span")
        seen[scheme] = {
            text: spans.filter(has_text=re.compile(f"^{text}$")).first.evaluate(
                "each => getComputedStyle(each).color"
            )
            for text in ("def", '"text"', "12345")
        }

    assert all(len(set(colours.values())) == 3 for colours in seen.values())
    assert not set(seen["light"].values()) & set(seen["dark"].values())


def test_without_the_editor_an_ordinary_text_field_takes_its_place(visit):
    page = visit("/")

    def refuse(route: Route) -> None:
        route.fulfill(status=200, content_type="text/javascript", body="export default () => {};")

    page.route("**/editor.js*", refuse)
    page.goto(page.url.partition("?")[0].rstrip("/") + "/lab")
    field = page.get_by_role("textbox", name=words("lab.editor"))
    expect(field).to_be_visible()
    expect(field).to_have_js_property("tagName", "TEXTAREA")
    wait_until_drawn(page)
    field.fill("print(6 * 7)")
    page.keyboard.press("Control+Enter")
    wait_until_drawn(page)
    page.locator(".st-key-lab-run button").click()

    expect(page.locator(".st-key-lab-right [data-testid=stCode]").last).to_contain_text(
        "line 1: 42"
    )


@pytest.mark.parametrize("kind", ["py", "ipynb"])
def test_the_program_is_saved_as_a_file(visit, tmp_path, kind):
    page = open_lab(visit, "x = '你好'")
    with page.expect_download() as expected:
        page.get_by_role("button", name=f".{kind}", exact=True).click()
    expected.value.save_as(tmp_path / "lab")
    saved = (tmp_path / "lab").read_text("utf-8")

    assert expected.value.suggested_filename == f"lab.{kind}"
    if kind == "ipynb":
        [cell] = nbformat.reads(saved, as_version=4).cells
        saved = f"{cell.source}\n"
    assert saved == "x = '你好'\n"


def test_a_file_has_what_was_written_just_before_the_click(visit):
    page = open_lab(visit, "x = 1")
    with page.expect_websocket() as line:
        page.reload()
    wait_until_drawn(page)
    write(page, "x = 2")
    button = page.get_by_role("button", name=".py", exact=True)
    button.hover()
    with line.value.expect_event("framesent"):  # the editor tells what was written
        page.mouse.down()
    with page.expect_download() as expected:
        page.mouse.up()

    assert expected.value.path().read_text() == "x = 2\n"


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
    wait_until_drawn(page)
    assert linked(page) == "# third"
    undo = page.get_by_role("button", name=words("strip.undo"))
    while source(page) != "# second":  # what was typed slowly is undone in several steps
        undo.click(timeout=TIMEOUT_MS)

    tabs(page).last.focus()
    page.keyboard.press("ArrowLeft")
    expect(editor(page)).to_have_text("# first")
    wait_until_drawn(page)
    assert linked(page) == "# first"
    page.keyboard.press("Delete")
    expect(editor(page)).to_have_text("# second")
    page.get_by_role("button", name=words("strip.reopen")).click()
    expect(editor(page)).to_have_text("# first")


def test_an_exercise_opened_again_has_what_was_written_for_it(visit):
    first, second = exercises.exercises()[:2]
    page = open_lab(visit)
    page.locator(f".st-key-open-lab-{first.id} button").click()
    expect(page.locator(".st-key-lab-task")).to_contain_text(first.title.en)
    wait_until_drawn(page)
    write(page, "mine = 1")
    page.locator(f".st-key-open-lab-{second.id} button").click()  # while the text is pending
    expect(page.locator(".st-key-lab-task")).to_contain_text(second.title.en)
    wait_until_drawn(page)
    page.locator(f".st-key-open-lab-{first.id} button").click()
    expect(page.locator(".st-key-lab-task")).to_contain_text(first.title.en)
    wait_until_drawn(page)

    expect(editor(page)).to_have_text("mine = 1")
    assert linked(page) == "mine = 1"


def test_a_link_to_the_program_is_copied(visit):
    page = open_lab(visit, "x = 1")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    write(page, "x = 2")
    page.get_by_role("button", name=words("strip.copy_link")).click()
    expect(page.get_by_role("button", name=words("strip.copied"))).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")

    expect(editor(visit("/" + copied.split("/", 3)[3]))).to_have_text("x = 2")


def test_nothing_is_wider_than_the_screen_and_a_run_brings_its_result_into_view(visit):
    page = open_lab(visit, f"# {'long ' * 60}\nprint('wide' * 200)\n" + BLOCK, width=390)
    page.locator(".st-key-lab-run button").click()
    expect(page.locator(".tp-ok")).to_be_in_viewport()

    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        wait_until_drawn(page)
        assert sideways(page) == 0


def test_an_exercise_is_opened_solved_and_counted(visit):
    task = exercises.exercises()[0]
    page = open_lab(visit)
    page.locator(f".st-key-open-lab-{task.id} button").click()
    expect(page.locator(".st-key-lab-task")).to_contain_text(task.title.en)
    wait_until_drawn(page)
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


def test_a_program_that_takes_times_is_run_on_the_cpu_and_says_so_before(visit):
    page = visit("/lab?from=timing/bandwidth&gpus=2")
    expect(page.locator(".tp-why").first).to_contain_text("measures times")
    wait_until_drawn(page)

    page.locator(".st-key-lab-run button").click()

    expect(page.locator(".tp-ok")).to_be_visible()
    expect(page.locator(".tp-ok")).not_to_contain_text(words("machine.simulated-result"))
    expect(page.locator(".pp-printed").first).to_contain_text("GB/s")
    expect(page.locator(".pp-printed").first).not_to_contain_text("cuda")
