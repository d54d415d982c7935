"""The lab and the builder by keyboard alone: the order of the stops, a ring at each, a way back."""

import re
import sys

import pytest
from playwright.sync_api import Page, expect

from playground.lab import exercises
from tests.e2e.conftest import wait_until_drawn, words

pytestmark = pytest.mark.e2e
NAME = "[document.activeElement].map((e) => e.ariaLabel || e.innerText || e.name || '')[0]"
# Outline or shadow, of the editor around its text too; the border of a card of the graph.
RING = """() => [document.activeElement].flatMap((e) => [e, e.closest(".cm-editor") ?? e])
  .map((e) => getComputedStyle(e))
  .some((s) => (s.outlineStyle !== "none" && s.outlineWidth !== "0px") || s.boxShadow !== "none")
  || [...document.activeElement.querySelectorAll(".nb-back")]
    .some((e) => parseFloat(getComputedStyle(e).strokeWidth) > 2)"""


def press(page: Page, *steps: tuple[str, str]) -> None:
    """Press keys; after each, the focus is at the expected name, where it can be seen."""
    for key, name in steps:
        page.keyboard.press(key)
        wait_until_drawn(page)
        expect(page.locator(":focus")).to_have_count(1)
        page.wait_for_function(f"name => {NAME}.includes(name)", arg=name)
        assert page.evaluate(RING), (key, name)


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
def test_the_lab_is_walked_left_and_heard(visit):
    page = visit("/lab?from=tensors/move")
    expect(page.locator(".cm-content")).to_be_visible()
    wait_until_drawn(page)
    page.locator(".st-key-lab-start input").focus()
    press(
        page,
        ("Tab", words("lab.run")),
        ("Tab", words("lab.own-file")),
        ("Tab", ".py"),
        ("Tab", ".ipynb"),
        ("Tab", words("lab.view")),
        ("Enter", words("lab.beside")),
        ("Escape", words("lab.view")),
        ("Tab", ""),  # the program's own tab
        ("Tab", words("strip.close")),
        ("Tab", words("strip.add")),
        ("Tab", words("strip.copy_link")),
        ("Tab", words("lab.editor")),
        ("Tab", words("lab.editor")),
    )
    first = page.locator(".cm-line").first
    expect(first).to_have_text(re.compile(r"^    import"))
    press(page, ("Control+z", words("lab.editor")), ("Control+Enter", words("lab.editor")))
    expect(first).to_have_text(re.compile(r"^import"))
    expect(page.locator(".tp-ok")).to_be_visible()
    expect(page.locator("#tp-news")).to_contain_text(words("step.it-works"))
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("!document.activeElement.closest('.cm-editor')")

    page.locator(".st-key-lab-list button").first.focus()
    press(
        page,
        ("Enter", exercises.exercises()[0].title.en),  # the task has the focus
        ("Tab", words("panel.hint")),
        ("Tab", words("lab.leave")),
    )


def test_the_builder_is_walked_and_every_box_leads_back(visit):
    page = visit("/builder?start=residual")
    expect(page.locator(".nb-svg")).to_be_visible()
    wait_until_drawn(page)
    page.locator(".nb-starts").focus()
    press(
        page,
        ("Tab", words("builder.ui-undo")),
        ("Tab", "X"),
        ("Tab", words("builder.ui-holds").replace("{name}", "X")),
    )
    page.locator(".nb-search").focus()
    press(
        page,
        ("ArrowDown", words("builder.ui-kind-residual")),
        ("ArrowDown", words("builder.ui-kind-add")),
        ("Home", words("builder.ui-kind-residual")),
        ("ArrowUp", words("builder.ui-find")),
        ("Tab", words("builder.ui-kind-residual")),
        ("Tab", "X (float32)"),  # one stop for all layers: the next is the graph
        ("ArrowDown", "Conv2d (3, 16"),
        ("Enter", "Conv2d (3, 16"),
        ("e", "in_channels"),
        ("Escape", "Conv2d (3, 16"),
        ("a", words("builder.ui-typed")),
        ("Escape", "Conv2d (3, 16"),
        ("ArrowDown", "Conv2d (16, 16"),
        ("f", "residual →"),
        ("f", "Conv2d (16, 16"),
        ("ArrowUp", "Conv2d (3, 16"),
        ("a", words("builder.ui-typed")),
    )
    page.keyboard.type("Dropout(0.1)")
    press(page, ("Enter", "Dropout (0.1)"), ("Delete", "→"), ("Control+z", "→"))
    expect(page.locator(".nb-card", has_text="Dropout")).to_have_count(1)

    page.get_by_role("button", name=re.compile(words("builder.ui-undo"))).focus()
    press(page, ("Enter", words("builder.ui-undo")))
    page.locator(".nb-tool.is-main").first.focus()
    press(page, ("Enter", words("builder.ui-run")))
    page.locator("[data-card=input1]").focus()
    press(page, ("v", words("builder.ui-close")), ("Escape", "X (float32)"))
    page.get_by_role("button", name=words("builder.ui-edit"), exact=True).focus()
    press(
        page,
        ("Enter", words("builder.ui-program")),
        ("Shift+Tab", words("builder.ui-cancel")),
        ("Enter", words("builder.ui-edit")),
    )
