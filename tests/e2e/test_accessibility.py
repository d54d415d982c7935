"""Every page: axe-core wide and light, narrow and dark; targets for fingers; twice as large."""

from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from hosting.login_and_error_pages import ask_for_code, ask_to_sign_in, signed_in, unknown_page
from tests.e2e.conftest import show_in, sideways, wait_until_drawn

pytestmark = pytest.mark.e2e
AXE, ASKED = Axe(), {"resultTypes": ["violations", "incomplete"]}  # all others take seconds
WIDE, PHONE, ENLARGED = 1280, 390, 640  # the last: 1280 at 200 %
CONTRASTS = (Path(__file__).parent / "text_contrasts.js").read_text("utf-8")
PAGES = {
    "/": "en-US",
    "/tensors?step=summary": "zh-CN",
    "/quiz?chapter=devices": "en-US",
    "/lab": "zh-CN",
    "/builder": "en-US",
    "/save_and_load?step=xray": "zh-CN",
    "/teacher": "en-US",
    "/projector": "zh-CN",
    "/me": "en-US",
}
GROUPED = "() => !document.querySelector('[data-testid=stSidebarNavItems]:not([role])')"
# Of the whole page: axe-core measures no contrast of what is scrolled away.
HEIGHT = "(document.querySelector('[data-testid=stMain]') ?? document.body).scrollHeight"
# Streamlit fades what it draws again, as it does by itself on the pages that follow a class.
UNFADED = "[data-stale=true], summary { opacity: 1 !important; transition: none !important; }"
# Targets of fingers that are smaller than 40 px; a link in a sentence may be, and so may what is a
# part of a larger target: the arrow of a choice, the field among the chosen.
SMALL = """() => [...document.querySelectorAll(
  "[data-testid=stMain] :is(button, a[href], input, select, textarea, summary, [role=tab]),"
  + ".nb-hit")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !each.matches("[data-testid=stSelectbox] button, [data-testid=stMultiSelect] *, [type=file]")
    && !(each.matches("a") && getComputedStyle(each).display === "inline"))
  .map((each) => [each.matches("[type=checkbox]") ? each.closest("label") : each, each])
  .map(([target, each]) => [target.getBoundingClientRect(), each.outerHTML.slice(0, 120)])
  .filter(([{ width, height }]) => width > 3 && Math.min(width, height) < 39.5)
  .map(([{ width, height }, text]) => `${width} x ${height}: ${text}`)"""
# What only Streamlit can change: the rule, a part of the element, the reason.
STREAMLITS = (
    ("presentation-role-conflict", "stFileUploaderDropzone", "the drop zone of st.file_uploader"),
)
# Contrasts that axe-core leaves undecided, and where they are decided.
UNDECIDED = {
    "bgGradient": "a choice with an arrow: test_panel_script.py measures each text of a step",
    "pseudoContent": "the number of a line with a mark: the same test",
    "bgOverlap": "a text below another element: the same test, and test_theme.py for pictures",
    "elmPartiallyObscured": "a text that a scrolled editor cuts: axe-core measures its other words",
    "nonBmp": "a sign alone, such as an arrow: as the choice with an arrow",
    "imgNode": "a text of a picture: test_theme.py, and the test of the graph's words below",
    "shortTextContent": "one letter: the test of the graph's words below",
}


def look(page: Page, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    show_in(page, scheme)


def violations(page: Page, part: str | None = None) -> list[str]:
    """Return axe-core's findings but known ones, undecided ones too; await the page's script."""
    page.wait_for_function(GROUPED)
    page.set_viewport_size({**page.viewport_size, "height": page.evaluate(HEIGHT)})
    page.add_style_tag(content=UNFADED)
    page.emulate_media(reduced_motion="reduce")  # what is fading in has no contrast yet
    response = AXE.run(page, part, ASKED).response
    return [
        f"{found['id']}: {node['html']} {node['failureSummary']}"
        for found in response["violations"]
        for node in found["nodes"]
        if not any(found["id"] == rule and part in node["html"] for rule, part, _ in STREAMLITS)
    ] + [
        f"undecided: {found['id']}: {node['html']} {check['message']}"
        for found in response["incomplete"]
        for node in found["nodes"]
        for check in (*node["any"], *node["all"], *node["none"])
        if not is_decided_elsewhere(check)
    ]


def is_decided_elsewhere(check: dict) -> bool:
    if check["id"] == "heading-order":  # drawn again meanwhile
        return True
    data = check["data"]
    return check["id"] == "color-contrast" and data.get("messageKey") in UNDECIDED


@contextmanager
def fingers(page: Page):
    """The screen is touched; afterwards there is a mouse again."""
    tools = page.context.new_cdp_session(page)
    tools.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    page.wait_for_function("matchMedia('(pointer: coarse)').matches")
    yield
    tools.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    tools.detach()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_violation_and_room_for_fingers_and_can_be_enlarged(visit, path):
    page = visit(path, width=PHONE, scheme="dark", locale=PAGES[path])
    for own, place in {"/lab": ".cm-content", "/builder": ".nb-svg"}.items():
        if path == own:
            expect(page.locator(place)).to_be_visible()

    assert violations(page) == []
    with fingers(page):
        assert page.evaluate(SMALL) == []
    look(page, ENLARGED, "dark")
    wait_until_drawn(page)
    assert sideways(page) == 0
    look(page, WIDE, "light")
    wait_until_drawn(page)
    assert violations(page) == []


def test_the_words_of_a_graph_have_contrast_also_where_no_data_arrives(visit):
    page = visit("/builder?start=broken")
    expect(page.locator(".nb-card.is-u").first).to_be_visible()
    for scheme in ("light", "dark"):
        show_in(page, scheme)
        contrasts = page.evaluate(CONTRASTS, [".nb-svg text", "fill"])
        assert len(contrasts) > 10
        assert [each for each in contrasts if each[1] < 4.5] == [], scheme


def test_the_sidebar_of_a_phone_and_an_answered_step_with_a_chart_have_no_violation(visit, server):
    page = visit("/", width=PHONE)
    page.locator("[data-testid=stExpandSidebarButton]").click()
    expect(page.locator("[data-testid=stSidebar][data-collapsed=false]")).to_be_visible()
    assert violations(page) == []
    look(page, WIDE, "light")
    page.goto(f"{server}/training?step=same_curve")
    wait_until_drawn(page)
    page.locator("[data-key=run]").click()
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    wait_until_drawn(page)
    assert violations(page) == []
    look(page, PHONE, "dark")
    wait_until_drawn(page)
    assert violations(page) == []


@pytest.mark.parametrize(
    "answer",
    [
        ask_for_code("zh", "/", status=401),
        ask_for_code("en", "/", status=429, problem="login.too-often", seconds=3),
        ask_to_sign_in("en", "/", sign_in="/door/sign-in", status=401),
        signed_in("zh", "/"),
        unknown_page("en"),
    ],
    ids=["door", "wrong code", "sign-in", "way out", "unknown address"],
)
def test_a_page_of_the_gate_has_no_violation(arrive, answer):
    page = arrive(width=PHONE)
    page.set_content(answer.body.decode())

    assert violations(page) == []
    look(page, WIDE, "dark")
    assert violations(page) == []
