"""The page of a lesson around its steps: address, language, and the files that are taken home."""

import ast
import json
from collections.abc import Callable

import nbformat
import pytest
from playwright.sync_api import Page, expect

from playground import catalog
from tests.e2e.conftest import wait_until_drawn

Visit = Callable[..., Page]
LESSON, STEP = "training", "prepare_both"
TITLE = catalog.lesson(LESSON).step(STEP).title
CONTROL = "select[data-field=batch_line]"
CHOSEN = "kept"
pytestmark = pytest.mark.e2e


def visit_and_choose(visit: Visit) -> Page:
    page = visit(f"/{LESSON}?step={STEP}")
    page.locator(CONTROL).select_option(CHOSEN)
    wait_until_drawn(page)
    return page


def test_what_was_set_is_still_there_when_the_lesson_is_opened_again(visit):
    page = visit_and_choose(visit)
    page.locator("[data-testid=stSidebarNavLink]").first.click()
    wait_until_drawn(page)
    page.locator(f"[data-testid=stSidebarNavLink][href$='/{LESSON}']").click()

    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE.en)
    expect(page.locator(CONTROL)).to_have_value(CHOSEN)


def test_the_downloads_open(visit, tmp_path):
    page = visit(f"/{LESSON}")
    expect(page.locator(".pp-question")).to_be_visible()  # above, so that nothing moves any more
    page.locator(".st-key-take-away button").first.click()
    files = {}
    for kind in ("script", "notebook"):
        with page.expect_download() as expected:
            page.locator(f".st-key-take-away-{kind} button").click()
        files[kind] = tmp_path / expected.value.suggested_filename
        expected.value.save_as(files[kind])

    assert "import torch" in files["script"].read_text("utf-8")
    ast.parse(files["script"].read_text("utf-8"))
    notebook = nbformat.from_dict(json.loads(files["notebook"].read_text("utf-8")))
    nbformat.validate(notebook)
    assert len(notebook.cells) > len(catalog.lesson(LESSON).steps)
