"""The builder in a browser: the graph is the editor, by mouse and by keyboard."""

import json
import re
from urllib.parse import parse_qs
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import expect

from playground.modules.spec.link import from_link, to_link
from playground.modules.spec.nodes import type_of
from playground.modules.spec.starts import STARTS
from tests.e2e.conftest import sideways, wait_until_drawn
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e
CARDS = ".nb-card.is-layer"


def opened(visit, query="start=empty", **more):
    page = visit(f"/builder?{query}", **more)
    expect(page.locator(".nb-svg")).to_be_visible()
    wait_until_drawn(page)
    return page


def types(page):
    """Read the layers from the address; Streamlit may put an earlier one back for a second."""
    query = parse_qs(page.evaluate("location.search").removeprefix("?"))
    return [type_of(child) for child in from_link(query["network"][0]).block.children]


def expect_types(page, *expected):
    wait_until(lambda: types(page) == [*expected])


@pytest.mark.covers("N1")
def test_a_network_is_drawn_edited_undone_and_sent(visit):
    page = opened(visit)
    search = page.locator(".nb-search")
    search.fill("Conv2d(6, 5, padding=2), Sigmoid, AvgPool2d(2), Flatten, Linear(10)")
    search.press("Enter")
    wait_until_drawn(page)
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
    wait_until_drawn(page)
    expect_types(page, "Conv2d", "BatchNorm2d", "Sigmoid", "AvgPool2d", "Flatten", "Linear")

    page.locator(".nb-more summary").click()
    with page.expect_download() as expected:
        page.locator(".nb-more .nb-tool").first.click()
    saved = json.loads(expected.value.path().read_text())
    assert len(saved["network"]["children"]) == 6


@pytest.mark.covers("N2")
def test_the_first_fix_until_the_task_is_met(visit):
    page = opened(visit, "start=broken&task=fits_at_last")
    expect(page.locator(".nb-card.is-f")).to_contain_text("Conv2d")
    expect(page.locator(".nb-card.is-u")).to_have_count(3)
    expect(page.locator(".nb-fix")).to_have_count(2)  # none takes out what was not reached
    for _ in range(2):
        page.locator(".nb-fix.is-first").click()
        wait_until_drawn(page)

    expect(page.locator(".nb-answer.is-ok")).to_contain_text("(2, 10)")
    expect(page.locator(".nb-task.is-met")).to_be_visible()


def test_what_is_hidden_folded_or_run_is_shown_on_demand(visit):
    page = opened(visit, "start=residual&answer=hidden")
    expect(page.locator(".nb-answer")).not_to_contain_text("10)")
    expect(page.locator("[data-card='0']")).to_have_attribute("aria-label", re.compile(r"\)$"))
    assert "answer=hidden" in page.url
    page.locator(".nb-answer button").click()
    expect(page.locator(".nb-answer.is-ok")).to_contain_text("(2, 10)")
    page.wait_for_url(lambda url: "answer" not in url)

    cards = page.locator(CARDS).count()
    page.locator("[data-fold='1']").first.click()
    expect(page.locator(CARDS)).to_have_count(cards - 5)
    page.locator("[data-fold='1']").first.click()
    expect(page.locator(CARDS)).to_have_count(cards)

    page.locator(".nb-tool.is-main").first.click()
    expect(page.locator("[data-thumb]").first).to_be_visible()
    assert round(page.locator("[data-thumb]").first.bounding_box()["height"]) >= 40
    page.locator("[data-thumb]").first.click()
    expect(page.locator(".nb-large")).to_contain_text("std")
    page.locator(".nb-large button").first.click()

    page.locator(".nb-line", has_text="nn.AdaptiveAvgPool2d").hover()
    expect(page.locator(".nb-card.is-lit")).to_contain_text("AdaptiveAvgPool2d")


def test_cards_are_copied_moved_grouped_listed_saved_as_pictures_and_loaded(visit, tmp_path):
    page = opened(visit, f"network={to_link(STARTS['mlp'])}")
    page.locator("[data-card='1']").click()
    wait_until_drawn(page)
    page.keyboard.press("Control+d")
    expect(page.locator(CARDS)).to_have_count(4)
    wait_until_drawn(page)
    page.keyboard.press("Alt+ArrowDown")
    expect_types(page, "Linear", "ReLU", "Linear", "ReLU")
    page.keyboard.press("Delete")
    expect(page.locator(CARDS)).to_have_count(3)
    wait_until_drawn(page)

    page.locator("[data-card='1']").click()
    wait_until_drawn(page)
    page.locator("[data-card='0']").click(modifiers=["Shift"])
    expect(page.locator(".nb-several")).to_be_visible()
    page.keyboard.press("Control+c")
    page.keyboard.press("Control+v")
    expect(page.locator(CARDS)).to_have_count(5)
    wait_until_drawn(page)
    expect_types(page, "Linear", "ReLU", "Linear", "Linear", "ReLU")

    page.locator("[data-card='0']").click()
    wait_until_drawn(page)
    page.locator("[data-card='1']").click(modifiers=["Shift"])
    page.locator(".nb-several .nb-tool", has_text="Group").click()
    expect(page.locator(".nb-frame")).to_have_count(1)
    page.locator(".nb-form [aria-label]", has_text="⊟").click()
    expect(page.locator(".nb-frame")).to_have_count(0)
    wait_until_drawn(page)

    page.locator(".nb-listed summary").click()
    page.locator(".nb-list button", has_text="20, 256").first.click()
    expect(page.locator(".nb-form [name=out_features]")).to_have_value("256")
    wait_until_drawn(page)

    for kind in ("SVG", "PNG"):
        page.locator(".nb-more summary").click()
        with page.expect_download() as expected:
            page.locator(".nb-more .nb-tool", has_text=kind).click()
        expected.value.save_as(tmp_path / kind)
    drawn = ElementTree.parse(tmp_path / "SVG").getroot()
    texts = ["".join(each.itertext()) for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert sum("Linear" in each for each in texts) == 3
    assert "+" not in texts
    with Image.open(tmp_path / "PNG") as picture:
        wide, high = map(float, drawn.get("viewBox").split()[2:])
        assert picture.size == (2 * wide, 2 * high)
        assert len(set(picture.convert("RGB").get_flattened_data())) > 10

    file = tmp_path / "own.json"
    file.write_text(STARTS["lenet"].to_json())
    page.locator(".nb-more input[type=file]").set_input_files(file)
    expect(page.locator(CARDS)).to_have_count(12)
    file.write_text("{")
    page.locator(".nb-more input[type=file]").set_input_files(file)
    expect(page.locator(".nb-notice")).to_be_visible()
    expect(page.locator(CARDS)).to_have_count(12)


def test_a_trained_network_is_taken_along_with_its_weights(visit):
    page = opened(visit, f"network={to_link(STARTS['mlp'])}")
    page.locator(".nb-tool", has_text="Train").click()
    expect(page.locator(".nb-loss")).to_contain_text("300 steps")
    expect(page.locator(".nb-tool", has_text="■")).to_have_count(0)
    expect(page.locator("[data-thumb]").first).to_be_visible()
    wait_until_drawn(page)

    page.locator(".nb-more summary").click()
    page.locator(".nb-more a", has_text="Accessing parameters").click()
    expect(page.get_by_text("yours, trained for 300 steps").first).to_be_attached()
    wait_until_drawn(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("body")).to_contain_text("trained.pt")
    expect(page.locator("body")).to_contain_text("0.weight (256, 20)")
    page.go_back()
    expect(page.locator(CARDS)).to_have_count(3)


def held(page, source, goal):
    """Hold a finger on one element, and drag it to another."""
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def point(kind, *places):
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def middle(locator):
        box = locator.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    source.scroll_into_view_if_needed()
    start = middle(source)
    point("touchStart", start)
    expect(page.locator(".nb-ghost")).to_be_visible()
    end = middle(goal)  # the graph has come into view
    for part in (0.3, 0.7, 1):
        near = [one + part * (other - one) for one, other in zip(start, end, strict=True)]
        point("touchMove", near)
    expect(page.locator(".nb-plus.is-near")).to_have_count(1)
    point("touchEnd")
    expect(page.locator(".nb-ghost")).to_have_count(0)
    wait_until_drawn(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    touch.detach()


OWN = """from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 4)
        self.spare = nn.Linear(4, 4)
        self.out = nn.Linear(4, 2)

    def forward(self, X):
        return self.out(self.hidden(X).relu())
"""


def test_layers_are_dragged_by_a_finger_or_the_mouse_and_a_class_is_pasted(visit):
    page = opened(visit, f"network={to_link(STARTS['mlp'])}", locale="zh-CN")
    edges = page.locator(".nb-plus circle.nb-hit")
    held(page, page.locator("[data-card='1'] .nb-type"), edges.nth(0))
    expect_types(page, "ReLU", "Linear", "Linear")
    held(page, page.locator(".nb-layer", has_text="Conv1d").first, edges.nth(1))
    expect_types(page, "ReLU", "Conv1d", "Linear", "Linear")
    page.locator(".nb-search").fill("Dropout")
    page.locator(".nb-layer", has_text="Dropout").first.drag_to(edges.last)
    expect(page.locator(CARDS)).to_have_count(5)
    wait_until_drawn(page)
    expect_types(page, "ReLU", "Conv1d", "Linear", "Linear", "Dropout")

    page.locator(".nb-side-head .nb-tool", has_text="编辑").click()
    page.locator(".nb-code").fill("import torch\n1 / 0")
    page.locator(".nb-code").press("Control+Enter")
    expect(page.locator(".nb-edit-notice")).to_contain_text("程序停在第 2 行：ZeroDivisionError")
    expect(page.locator(CARDS)).to_have_count(5)
    page.locator(".nb-code").fill(OWN)
    page.locator(".nb-code").press("Control+Enter")
    expect(page.locator(".nb-code")).to_have_count(0)
    expect(page.locator(".nb-notice")).to_contain_text("没有画出：spare")
    expect_types(page, "Linear", "ReLU", "Linear")


def test_a_phone_has_the_zoom_in_the_graph_large_signs_a_form_at_the_foot_and_no_more_width(visit):
    page = opened(visit, "start=gpt&lang=zh", width=390)
    graph, zoom = (page.locator(each).bounding_box() for each in (".nb-canvas", ".nb-zooms"))
    assert graph["y"] < zoom["y"] < zoom["y"] + zoom["height"] <= graph["y"] + graph["height"]
    assert sideways(page) == 0
    for sign in ("fold", "plus"):  # what is pressed beside a sign is the nearest sign
        hits = page.locator(f".nb-{sign} .nb-hit")
        own = page.locator(f".nb-{sign} text")
        hits.first.scroll_into_view_if_needed()
        box, seen = hits.first.bounding_box(), own.first.bounding_box()
        assert min(box["width"], box["height"]) >= 39.5
        at = box["x"] + box["width"] / 2, box["y"] + 2
        assert not seen["y"] <= at[1] <= seen["y"] + seen["height"]
        frames = page.locator(".nb-frame").count()
        page.mouse.click(*at)
        if sign == "fold":
            expect(page.locator(".nb-frame")).not_to_have_count(frames)
        else:
            expect(page.locator(".nb-menu")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".nb-starts").select_option("inception")
    wait_until_drawn(page)
    expect(page.locator(".nb-card", has_text="MaxPool2d").first).to_be_attached()
    assert sideways(page) == 0
    first = page.locator("[data-card]").first.bounding_box()
    assert abs(first["x"] + first["width"] / 2 - 195) < 4  # where the graph has no room for all
    page.locator("[data-card='0'] .nb-type").click()
    expect(page.locator(".nb-form [name=out_channels]")).to_be_visible()
    form = page.locator(".nb-form").bounding_box()
    assert (form["x"], form["width"]) == (0, 390)
    assert round(form["y"] + form["height"]) == page.viewport_size["height"]
