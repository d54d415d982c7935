"""axe-core on every page: wide and light, narrow and dark, in one language or the other."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from hosting import responses
from playground import catalog
from tests.e2e.conftest import settle

pytestmark = pytest.mark.e2e
AXE = Axe()
WIDE, PHONE = 1280, 390
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
# What only Streamlit can change: the rule, a part of the element, the reason.
STREAMLITS = (
    ("presentation-role-conflict", "stFileUploaderDropzone", "the drop zone of st.file_uploader"),
)


def look(page: Page, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "scheme => !(app => app && getComputedStyle(app).colorScheme !== scheme)"
        "(document.querySelector('[data-testid=stApp]'))",
        arg=scheme,
    )


def violations(page: Page) -> list[str]:
    """What axe-core finds, but for what is Streamlit's own; the page's script has begun."""
    page.wait_for_function(GROUPED)
    return [
        f"{found['id']}: {node['html']} {node['failureSummary']}"
        for found in AXE.run(page).response["violations"]
        for node in found["nodes"]
        if not any(found["id"] == rule and part in node["html"] for rule, part, _ in STREAMLITS)
    ]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_violation(visit, path):
    page = visit(path, width=PHONE, scheme="dark", locale=PAGES[path])
    if path == "/lab":
        expect(page.locator(".cm-content")).to_be_visible()

    assert violations(page) == []
    look(page, WIDE, "light")
    assert violations(page) == []


@pytest.mark.parametrize("number", range(2))
def test_a_step_of_each_lesson_has_no_violation_before_and_after_its_answer(visit, number):
    page = visit("/", locale=["en-US", "zh-CN"][number])
    for place, lesson in enumerate(catalog.lessons()[number::2]):
        page.locator(f"[data-testid=stSidebarNavLink][href$='/{lesson.name}']").click()
        page.wait_for_url(f"**/{lesson.name}*")
        settle(page)
        page.locator(".pp-dot").nth(place).click()
        expect(page.locator(".pp-dot").nth(place)).to_have_attribute("aria-current", "step")
        settle(page)
        assert violations(page) == [], lesson.name
        if page.locator("[data-key=run]").count():
            page.locator("[data-key=run]").click()
        expect(page.locator(".pp-reason")).to_be_visible()
        settle(page)
        for width, scheme in ((PHONE, "dark"), (WIDE, "light")):
            look(page, width, scheme)
            assert violations(page) == [], (lesson.name, scheme)


@pytest.mark.parametrize(
    "answer",
    [
        responses.ask_for_code("zh", "/", status=401),
        responses.ask_for_code("en", "/", status=429, problem="login.too-often", seconds=3),
        responses.ask_to_sign_in("en", "/", sign_in="/door/sign-in", status=401),
        responses.signed_in("zh", "/"),
        responses.unknown_page("en"),
    ],
    ids=["door", "wrong code", "sign-in", "way out", "unknown address"],
)
def test_a_page_of_the_gate_has_no_violation(arrive, answer):
    page = arrive(width=PHONE)
    page.set_content(answer.body.decode())

    assert violations(page) == []
    look(page, WIDE, "dark")
    assert violations(page) == []


def test_the_sidebar_of_a_phone_has_no_violation(visit):
    page = visit("/", width=PHONE)
    page.locator("[data-testid=stExpandSidebarButton]").click()
    expect(page.locator("[data-testid=stSidebar][data-collapsed=false]")).to_be_visible()

    assert violations(page) == []
