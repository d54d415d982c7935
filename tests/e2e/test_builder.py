"""The builder, clicked through as a student does: break it, fix it, undo, send the link."""

import json
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from playground import catalog
from playground.modules.spec import Network
from playground.modules.spec.link import from_link, to_link
from playground.modules.spec.presets import BUILDER_PRESETS
from tests.e2e.conftest import settle, sideways
from ui.language import table

Visit = Callable[..., Page]
pytestmark = pytest.mark.e2e
STEP = ".st-key-blocks_build_"
MLP = to_link(BUILDER_PRESETS["mlp"])


def open_builder(visit: Visit, link: str = "", **more: object) -> Page:
    page = visit(f"/blocks?step=build{f'&network={link}' if link else ''}", **more)
    expect(page.locator(f"{STEP}pick-0 button").first).to_be_visible()
    settle(page)
    page.locator(".pp-choice").first.click()
    expect(page.locator(".pp-answer")).to_be_visible()
    settle(page)
    return page


def press(page: Page, name: str) -> None:
    page.locator(f"{STEP}{name} button").locator("visible=true").first.click()
    settle(page)


def start(page: Page, name: str) -> None:
    page.locator(f"{STEP}builder-starts button").first.click()
    words = catalog.lesson("blocks").step("build").words
    assert words
    page.get_by_role("menuitem", name=words.options["start"][name].en, exact=True).click()
    settle(page)


def rows(page: Page) -> Locator:
    return page.locator("[class*=blocks_build_pick-] p")


def types(page: Page) -> list[str]:
    return page.locator("[class*=blocks_build_pick-] p strong").all_inner_texts()


def linked(url: str) -> Network:
    values = dict(parse_qsl(urlsplit(url).query))
    if "network" in values:
        return from_link(values["network"])
    return BUILDER_PRESETS[values.get("start", "mlp")]


def expect_linked(page: Page, network: Network) -> None:
    """Wait until the address, which the panel writes, has the network."""
    page.wait_for_url(lambda url: linked(url) == network)


def test_a_network_is_broken_fixed_undone_and_sent(visit, tmp_path):
    page = open_builder(visit, to_link(BUILDER_PRESETS["small_cnn"]))
    answer = page.locator(".pp-answer")
    reason = page.locator(".pp-reason")
    expect(page.locator(".pp-picture")).to_contain_text("(2, 10)")

    press(page, "pick-6")
    press(page, "builder-icon-remove")  # Flatten
    expect(answer).to_contain_text("RuntimeError")
    expect(reason).to_contain_text("(2, 16, 7, 7)")
    assert "Flatten" not in types(page)

    press(page, "apply")
    expect(page.locator(".pp-answer.is-ok")).to_be_visible()
    expect(rows(page)).to_have_count(8)

    press(page, "builder-icon-undo")
    expect(answer).to_contain_text("RuntimeError")
    press(page, "builder-icon-undo")
    expect(page.locator(".pp-answer.is-ok")).to_be_visible()

    start(page, "residual")
    expect(rows(page)).to_have_count(11)
    page.locator(".st-key-lang").get_by_text("中文").click()
    settle(page)
    expect(rows(page)).to_have_count(11)
    expect_linked(page, BUILDER_PRESETS["residual"])

    again = visit("/" + page.url.split("/", 3)[3])
    expect(again.locator("[class*=blocks_build_pick-] p")).to_have_count(11)

    page.locator(f"{STEP}builder-file button").first.click()
    with page.expect_download() as expected:
        page.locator(f"{STEP}save button").click()
    expected.value.save_as(tmp_path / "network.json")
    reported = (tmp_path / "network.json").read_text("utf-8")
    assert Network.from_json(json.dumps(json.loads(reported))) == BUILDER_PRESETS["residual"]


def test_the_file_comes_back(visit, tmp_path):
    page = open_builder(visit)
    file = tmp_path / "network.json"
    file.write_text(BUILDER_PRESETS["autoencoder"].to_json(), "utf-8")
    page.locator(f"{STEP}builder-file button").first.click()
    page.locator(f"{STEP}load input[type=file]").set_input_files(file)
    settle(page)

    expect(rows(page)).to_have_count(9)
    expect_linked(page, BUILDER_PRESETS["autoencoder"])


def test_a_layer_is_dragged_to_another_place(visit):
    page = open_builder(visit, MLP)
    held = page.locator(f"{STEP}row-1")
    held.scroll_into_view_if_needed()
    box, goal = held.bounding_box(), page.locator(f"{STEP}row-0").bounding_box()
    assert box
    assert goal
    page.mouse.move(box["x"] + 90, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] - 4, steps=3)
    page.mouse.move(goal["x"] + 90, goal["y"] + 4, steps=5)
    page.mouse.up()

    expect(rows(page).first).to_contain_text("ReLU")
    settle(page)
    types = ["ReLU", "Linear", "Linear"]
    page.wait_for_url(lambda url: [each.type for each in linked(url).block.children] == types)


def test_the_keyboard_does_it_all(visit):
    page = open_builder(visit, MLP)
    page.locator(f"{STEP}pick-1 button").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"{STEP}builder-tools")).to_be_visible()
    settle(page)

    page.keyboard.press("Alt+ArrowUp")
    expect(rows(page).first).to_contain_text("ReLU")
    settle(page)
    page.keyboard.press("Alt+ArrowDown")
    expect(rows(page).first).to_contain_text("Linear")
    settle(page)
    page.keyboard.press("Alt+d")
    expect(rows(page)).to_have_count(4)
    settle(page)
    page.keyboard.press("Delete")
    expect(rows(page)).to_have_count(3)
    settle(page)
    page.keyboard.press("Alt+z")
    expect(rows(page)).to_have_count(4)
    settle(page)

    search = page.locator("[class*=blocks_build_search-] input")
    search.scroll_into_view_if_needed()
    settle(page)  # a list of options closes when the page is scrolled
    search.focus()
    page.keyboard.type("tanh")
    expect(page.locator("[role=option][data-focused]")).to_contain_text("Tanh")  # takes Enter
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_count(5)
    assert "Tanh" in types(page)
    settle(page)
    expect(search).to_be_focused()  # for the next layer
    expect(search).to_have_value("")


def test_the_tree_is_drawn_in_the_browser(visit):
    page = open_builder(visit, to_link(BUILDER_PRESETS["shared"]))
    page.get_by_role("tab", name=table()["builder.tab-tree"].en).click()

    drawn = page.get_by_role("img", name=table()["builder.tree-alt"].en)
    expect(drawn).to_be_visible()
    box = drawn.bounding_box()
    assert box
    assert box["height"] > 80


def test_nothing_is_wider_than_the_screen(visit):
    page = open_builder(visit, to_link(BUILDER_PRESETS["branches"]), width=390)
    press(page, "pick-1-2-0")

    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)
        assert sideways(page) == 0
        for row in rows(page).all():
            box = row.bounding_box()
            assert box
            assert box["x"] + box["width"] <= width
