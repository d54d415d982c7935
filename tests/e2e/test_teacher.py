"""A class with a code: a student comes back to what was done, a teacher sees it, nobody else."""

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from playground.catalog import Language
from tests.e2e.conftest import Server, Watch, settle
from ui.words import table

pytestmark = pytest.mark.e2e
CODE, TEACHERS_CODE = "tensor-26", "autograd-26"
STEP = "tensors_same-device-error"
SECONDS = 90  # a limit for what hangs, no expectation


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        {
            "PLAYGROUND_GATE": "code",
            "PLAYGROUND_CLASS_CODE": CODE,
            "PLAYGROUND_TEACHER_CODE": TEACHERS_CODE,
            "PLAYGROUND_DATA_FOLDER": str(tmp_path_factory.mktemp("data")),
            "PLAYGROUND_UPLOADS_PER_MINUTE": "1",
        }
    )
    try:
        wait_for_the_door(running)
        yield running
    finally:
        running.stop()


def wait_for_the_door(server: Server) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(server.url, timeout=2)
        except urllib.error.HTTPError:  # it is there, and closed
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the server did not start")


def enter(browser: Browser, server: Server, code: str, **more: object) -> BrowserContext:
    context = browser.new_context(**more)
    context.set_default_timeout(SECONDS * 1_000)
    page = context.new_page()
    page.goto(server.url)
    page.fill("input[name=code]", code)
    page.keyboard.press("Enter")
    settle(page)
    return context


def show(context: BrowserContext, server: Server, path: str) -> Page:
    page = context.new_page()
    page.goto(server.url + path)
    settle(page)
    return page


def test_a_student_comes_back_and_the_teacher_sees_it(
    browser: Browser, school: Server, tmp_path: Path
) -> None:
    student = enter(browser, school, CODE)
    page = show(student, school, "/tensors?step=same-device-error")
    page.locator(f".st-key-{STEP}_answer button").first.click()
    page.locator(f".st-key-{STEP}_again").wait_for()
    settle(page)
    page.close()

    again = show(student, school, "/tensors?step=same-device-error")  # the address says no answer
    expect(again.locator(f".st-key-{STEP}_again")).to_be_visible()
    expect(again.locator(f".st-key-{STEP}_answer")).to_have_count(0)

    teacher = enter(browser, school, TEACHERS_CODE, viewport={"width": 390, "height": 900})
    page = show(teacher, school, "/teacher")
    expect(page.locator(".tp-roll tbody tr")).to_have_count(1)
    expect(page.locator(".tp-poll-share")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    with page.expect_download() as download:
        page.locator(".st-key-teacher-answers-file button").click()
    download.value.save_as(tmp_path / "answers.csv")
    table = (tmp_path / "answers.csv").read_text("utf-8-sig").splitlines()
    assert len(table) == 2
    assert "same-device-error" in table[1]

    other = show(student, school, "/teacher")
    expect(other.locator(".st-key-teacher")).to_have_count(0)
    stranger = browser.new_context()
    page = stranger.new_page()
    page.goto(f"{school.url}/teacher")
    expect(page.locator("input[name=code]")).to_be_visible()
    for context in (student, teacher, stranger):
        context.close()


def test_the_door_leads_to_the_page_of_the_link(browser: Browser, school: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 900})
    watch = Watch(context)
    page = context.new_page()
    link = f"{school.url}/tensors?lang=zh&step=same-device-error&{STEP}_predicted=works"
    page.goto(link)
    for code in ("not it", CODE):  # by the keyboard alone
        expect(page.locator("input[name=code]")).to_be_focused()
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        page.wait_for_load_state()
    settle(page)

    assert page.url == link
    expect(page.locator(f".st-key-{STEP}_again")).to_be_visible()
    assert [error for error in watch.errors if " 401 " not in error and " 403 " not in error] == []
    assert watch.foreign == []
    context.close()


def test_a_file_too_many_is_refused_in_words(browser: Browser, school: Server) -> None:
    student = enter(browser, school, CODE, locale="zh-CN")
    page = show(student, school, "/save_and_load?step=xray")
    field = page.locator("[data-testid=stFileUploader]").first
    for name in ("first", "second"):
        file = {"name": name, "mimeType": "application/octet-stream", "buffer": b"no checkpoint"}
        field.locator("input").set_input_files(file)
        settle(page)

    expect(field.locator("[data-testid=stFileChip][aria-invalid=true]")).to_have_count(1)
    told = field.locator("section").evaluate("each => getComputedStyle(each, '::after').content")
    assert told.strip('"') == table()["upload.refused"].said(Language.ZH)
    student.close()


def test_nothing_is_lost_when_the_server_is_restarted(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = str(tmp_path_factory.mktemp("kept"))
    environment = {
        "PLAYGROUND_GATE": "code",
        "PLAYGROUND_CLASS_CODE": CODE,
        "PLAYGROUND_DATA_FOLDER": folder,
    }
    first = Server(environment)
    try:
        wait_for_the_door(first)
        student = enter(browser, first, CODE)
        page = show(student, first, "/tensors?lang=zh&step=same-device-error")
        page.locator(f".st-key-{STEP}_answer button").first.click()
        page.locator(f".st-key-{STEP}_again").wait_for()
        settle(page)
        address = page.url
    finally:
        first.stop()  # with a browser connected
    assert f"{STEP}_predicted" in address
    assert (Path(folder) / "progress.sqlite").exists()
    page.wait_for_selector("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])")

    second = Server(environment, port=first.port)
    try:
        wait_for_the_door(second)
        settle(page)  # the same tab, by itself
        assert page.url == address
        expect(page.locator(f".st-key-{STEP}_again")).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)

        other = show(student, second, "/tensors?step=same-device-error")  # says no answer
        expect(other.locator(f".st-key-{STEP}_again")).to_be_visible()
        student.close()
    finally:
        second.stop()
