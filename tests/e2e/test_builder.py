"""The builder in a browser: the graph is the editor, by mouse and by keyboard."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from playground.modules.spec.link import from_link, to_link
from playground.modules.spec.nodes import type_of
from playground.modules.spec.starts import STARTS
from tests.e2e.conftest import settle, sideways

pytestmark = pytest.mark.e2e
CARDS = ".nb-card.is-layer"


def opened(visit, query="start=empty", **more):
    page = visit(f"/builder?{query}", **more)
    expect(page.locator(".nb-svg")).to_be_visible()
    settle(page)
    return page


def typed(page, text):
    page.locator(".nb-search").fill(text)
    page.locator(".nb-search").press("Enter")
    settle(page)


def types(page):
    (link,) = parse_qs(urlsplit(page.url).query)["network"]
    return [type_of(child) for child in from_link(link).block.children]


@pytest.mark.covers("N1")
def test_a_network_is_drawn_edited_undone_and_sent(visit, tmp_path):
    page = opened(visit)
    typed(page, "Conv2d(6, 5, padding=2), Sigmoid, AvgPool2d(2), Flatten, Linear(10)")
    expect(page.locator(CARDS)).to_have_count(5)
    expect(page.locator(".nb-answer.is-ok")).to_contain_text("(2, 10)")

    page.locator("[data-insert='1']").click()
    page.locator(".nb-chip", has_text="BatchNorm2d").click()
    expect(page.locator(CARDS)).to_have_count(6)
    expect(page.locator(".nb-form")).to_contain_text("BatchNorm2d")
    expect(page.locator(".nb-form [name=num_features]")).to_have_value("6")

    page.locator(".nb-form [name=num_features]").fill("7")
    page.keyboard.press("Tab")
    expect(page.locator(".nb-answer.is-refused")).to_be_visible()
    page.locator(".nb-tool", has_text="↶").click()
    expect(page.locator(".nb-answer.is-ok")).to_be_visible()
    page.wait_for_url(re.compile("network="))
    settle(page)
    assert types(page) == ["Conv2d", "BatchNorm2d", "Sigmoid", "AvgPool2d", "Flatten", "Linear"]

    again = visit("/" + page.url.split("/", 3)[3])
    expect(again.locator(CARDS)).to_have_count(6)
    again.locator(".nb-more summary").click()
    with again.expect_download() as expected:
        again.locator(".nb-more .nb-tool").first.click()
    expected.value.save_as(tmp_path / "network.json")
    assert len(json.loads((tmp_path / "network.json").read_text())["network"]["children"]) == 6


@pytest.mark.covers("N2")
def test_the_first_fix_until_the_task_is_met(visit):
    page = opened(visit, "start=broken&task=fits_at_last")
    expect(page.locator(".nb-card.is-f")).to_contain_text("Conv2d")
    expect(page.locator(".nb-card.is-u")).to_have_count(3)

    for _ in range(2):
        page.locator(".nb-fix.is-first").click()
        settle(page)

    expect(page.locator(".nb-answer.is-ok")).to_contain_text("(2, 10)")
    expect(page.locator(".nb-task.is-met")).to_be_visible()


def test_the_keyboard_walks_changes_copies_and_undoes(visit):
    page = opened(visit, f"network={to_link(STARTS['mlp'])}")
    page.locator("[data-card=input1]").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".nb-form")).to_contain_text("ReLU")
    settle(page)

    page.locator("[data-card='1']").focus()
    page.keyboard.press("Control+d")
    expect(page.locator(CARDS)).to_have_count(4)
    settle(page)
    page.keyboard.press("Delete")
    expect(page.locator(CARDS)).to_have_count(3)
    settle(page)
    page.keyboard.press("Control+z")
    expect(page.locator(CARDS)).to_have_count(4)
    page.keyboard.press("a")
    expect(page.locator(".nb-menu input")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".nb-menu")).to_have_count(0)


def test_a_link_without_the_answer_shows_it_on_demand(visit):
    page = opened(visit, "start=mlp&answer=hidden")
    expect(page.locator(".nb-answer")).not_to_contain_text("10)")
    expect(page.locator("[data-card='0']")).to_have_attribute("aria-label", re.compile(r"\)$"))
    assert "answer=hidden" in page.url

    page.locator(".nb-answer button").click()
    expect(page.locator(".nb-answer.is-ok")).to_contain_text("(2, 10)")
    page.wait_for_url(lambda url: "answer" not in url)


def test_blocks_fold_data_flows_and_lines_light_their_cards(visit):
    page = opened(visit, "start=residual")
    cards = page.locator(CARDS).count()
    page.locator("[data-fold='1']").first.click()
    expect(page.locator(CARDS)).to_have_count(cards - 5)
    page.locator("[data-fold='1']").first.click()
    expect(page.locator(CARDS)).to_have_count(cards)

    page.locator(".nb-tool.is-main").first.click()
    expect(page.locator("[data-thumb]").first).to_be_visible()
    page.locator("[data-thumb]").first.click()
    expect(page.locator(".nb-large")).to_contain_text("std")
    page.locator(".nb-large button").first.click()

    page.locator(".nb-line", has_text="nn.AdaptiveAvgPool2d").hover()
    expect(page.locator(".nb-card.is-lit")).to_contain_text("AdaptiveAvgPool2d")


@pytest.mark.parametrize("start", ["inception", "gpt"])
def test_nothing_is_wider_than_a_phone(visit, start):
    page = opened(visit, f"start={start}&lang=zh")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)

    assert sideways(page) == 0
