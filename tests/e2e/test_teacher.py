"""A class with a code: a student comes back to what was done, a teacher sees it, nobody else."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from playground.catalog import Language
from tests.e2e.conftest import wait_until_drawn
from tests.e2e.server import Server, wait_until_healthy
from ui.language import table

pytestmark = pytest.mark.e2e
CODE, TEACHERS_CODE = "tensor-26", "autograd-26"
LESSON, STEP = "training", "prepare_both"
AT_THE_DOOR = r" 40[13] "  # what it answers to strangers
TOO_MANY = r" 429 |status code 429"  # uploads
AWAY = r"ERR_|WebSocket|respon[ds]|timed out|disconnected|to load script"  # without a server
NO_PAGE = r"does not seem to exist"  # the teacher's, for others


def open_school(folder: Path, port: int = 0, **more: str) -> Server:
    """A server with a class code; nobody runs a program of his own here."""
    return Server(
        {
            "PLAYGROUND_GATE": "code",
            "PLAYGROUND_CLASS_CODE": CODE,
            "PLAYGROUND_TEACHER_CODE": TEACHERS_CODE,
            "PLAYGROUND_DATA_FOLDER": str(folder),
            "PLAYGROUND_LAB": "off",
            **more,
        },
        port,
    )


def enter(page: Page, school: str, code: str, path: str) -> Page:
    """Say the code as the form of the door does, then open a page."""
    answer = page.request.post(f"{school}/door", form={"code": code}, max_redirects=0)
    assert answer.status == 303
    return show(page, school, path)


def show(page: Page, school: str, path: str) -> Page:
    page.goto(school + path)
    wait_until_drawn(page)
    return page


def test_a_class_keeps_its_work_over_a_restart_for_the_teacher_alone_and_its_limits(
    arrive, tmp_path
):
    folder = tmp_path / "kept"
    page = arrive(by_design=f"{AT_THE_DOOR}|{NO_PAGE}|{AWAY}|{TOO_MANY}")
    school = open_school(folder)
    try:
        wait_until_healthy(school.url)
        the_door_leads_to(page, f"{school.url}/{LESSON}?lang=zh&step={STEP}")
        page.locator(".pp-choice").first.click()
        expect(page.locator(".pp-answer")).to_be_visible()
        wait_until_drawn(page)
        comes_back(page, school.url)
        the_teacher_sees_it(arrive(width=390), school.url, tmp_path / "answers.csv")
        address = page.url
    finally:
        school.stop()  # with a browser connected
    assert (folder / "progress.sqlite").exists()
    page.wait_for_selector("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])")

    restarted = open_school(folder, school.port, PLAYGROUND_UPLOADS_PER_MINUTE="1")
    try:
        wait_until_healthy(restarted.url)
        wait_until_drawn(page)  # the same tab, by itself
        assert page.url == address
        expect(page.locator(".pp-answer")).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        comes_back(page, restarted.url)
        show(page, restarted.url, "/teacher")
        expect(page.locator(".st-key-teacher")).to_have_count(0)
        a_file_too_many_is_refused_in_words(page, restarted.url)
    finally:
        restarted.stop()


def the_door_leads_to(page: Page, link: str) -> None:
    """By the keyboard alone, after a wrong code."""
    page.goto(link)
    for code in ("not it", CODE):
        expect(page.locator("input[name=code]")).to_be_focused()
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        page.wait_for_load_state()
    wait_until_drawn(page)
    assert page.url == link


def comes_back(page: Page, school: str) -> None:
    """By an address that says no answer; the step is answered nevertheless."""
    show(page, school, f"/{LESSON}?step={STEP}")
    expect(page.locator(".pp-answer")).to_be_visible()
    expect(page.locator(".pp-question:not(.is-over)")).to_have_count(0)


def the_teacher_sees_it(page: Page, school: str, file: Path) -> None:
    """In the one row of the roll, and in the file, on a phone."""
    enter(page, school, TEACHERS_CODE, "/teacher")
    expect(page.locator(".tp-roll tbody tr")).to_have_count(1)
    expect(page.locator(".tp-poll-share")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    with page.expect_download() as download:
        page.locator(".st-key-teacher-answers-file button").click()
    download.value.save_as(file)
    answers = file.read_text("utf-8-sig").splitlines()
    assert len(answers) == 2
    assert STEP in answers[1]
    page.goto("about:blank")  # leaves before the server does


def a_file_too_many_is_refused_in_words(page: Page, school: str) -> None:
    show(page, school, "/save_and_load?step=xray&lang=zh")
    field = page.locator("[data-testid=stFileUploader]").first
    for name in ("first", "second"):
        with page.expect_response(lambda response: "/upload_file/" in response.url):
            field.locator("input").set_input_files(
                {"name": name, "mimeType": "application/octet-stream", "buffer": b"no checkpoint"}
            )
        wait_until_drawn(page)

    expect(field.locator("[data-testid=stFileChip][aria-invalid=true]")).to_have_count(1)
    section = field.locator("section")
    reported = section.evaluate("each => getComputedStyle(each, '::after').content")
    assert reported.strip('"') == table()["upload.refused"].filled(Language.ZH, most=20)
