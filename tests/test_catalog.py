import re
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from playground import catalog
from playground.catalog.parity import without_code
from ui.html_markup import markdown_to_html

ROOT = Path(__file__).parent.parent
LESSONS = ROOT / "playground" / "lessons"
NAMES = sorted(file.parent.name for file in LESSONS.glob("*/lesson.toml"))
NO_LESSONS = {"home", "me", "projector", "quiz", "teacher"}
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*.py") if page.stem not in NO_LESSONS)
OWN_PAGES = [each.name for each in catalog.curriculum().lessons if each.is_page]
FILES = [file for part in ("playground", "ui", "hosting") for file in (ROOT / part).rglob("*.toml")]
FORMULA = re.compile("<math .*?</math>")
LINK = re.compile(r"\]\((\S+?)\)")
BOOKS = {catalog.Language.EN: "https://d2l.ai/", catalog.Language.ZH: "https://zh.d2l.ai/"}
each_lesson = pytest.mark.parametrize("name", NAMES)


def texts_in(part: dict[str, Any] | list[Any]) -> Iterator[str]:
    """Every text of a TOML file, in both languages."""
    for name, value in part.items() if isinstance(part, dict) else enumerate(part):
        if name in ("en", "zh"):
            yield value
        elif isinstance(value, dict | list):
            yield from texts_in(value)


def test_every_lesson_is_complete_and_in_order():
    lessons = catalog.lessons()
    assert sorted(lesson.name for lesson in lessons) == NAMES
    assert [lesson.order for lesson in lessons] == sorted({lesson.order for lesson in lessons})
    assert catalog.lessons() is lessons  # they are parsed once


def test_lessons_folders_and_pages_belong_together_one_to_one():
    assert sorted([*NAMES, *OWN_PAGES]) == PAGES
    assert {file.parent.name for file in LESSONS.glob("*/*.py")} == {*NAMES}


@pytest.mark.parametrize("name", OWN_PAGES)
def test_a_page_without_steps_has_tests_that_cover_each_of_its_rows(name):
    planned = catalog.curriculum().planned(name)
    tests = (ROOT / "tests" / "e2e" / f"test_{name}.py").read_text("utf-8")
    assert re.findall(r'covers\("(\w+)"\)\s+def test_', tests) == [row.id for row in planned.rows]


def test_no_lesson_has_a_fault():
    catalog.check_lessons()


def test_a_fault_of_the_curriculum_is_found(monkeypatch, tmp_path):
    words = catalog.CURRICULUM.read_text("utf-8")
    assert 'en = "' in words
    file = tmp_path / "curriculum.toml"
    file.write_text(words.replace('en = "', 'en = "`only_here` ', 1), "utf-8")
    monkeypatch.setattr(catalog, "CURRICULUM", file)

    with pytest.raises(catalog.CatalogError) as reported:
        catalog.check_lessons()

    assert "code spans only in en: only_here" in str(reported.value)


def test_the_curriculum_has_every_row_once_and_a_lesson_in_every_chapter():
    rows = catalog.curriculum().row_ids()

    assert len(set(rows)) == len(rows)
    expected = {f"D{number}" for number in range(1, 10)} | {f"T{number}" for number in range(1, 12)}
    assert expected <= set(rows)
    assert catalog.curriculum().planned("devices") is not None
    chapters = {lesson.chapter for lesson in catalog.curriculum().lessons}
    assert chapters == {chapter.id for chapter in catalog.chapters()}


@each_lesson
def test_a_lesson_that_teaches_rows_teaches_all_of_its_rows_and_sets_two_challenges(name):
    lesson, planned = catalog.lesson(name), catalog.curriculum().planned(name)
    covered = {row for step in lesson.steps for row in step.covers}
    if not covered:
        pytest.skip("teaches no row of the curriculum yet")

    assert [row.id for row in (planned.rows if planned else ()) if row.id not in covered] == []
    assert sum(len(step.words.challenges) for step in lesson.steps) >= 2


def test_words_stay_calm():
    said = [each for file in FILES for each in texts_in(tomllib.loads(file.read_text("utf-8")))]
    assert len(said) > 5_000
    assert [each for each in said if re.search(r"！|!(?!=)", without_code(each))] == []


@each_lesson
def test_ideas_are_drawn_whole_and_link_to_the_book_in_their_language(name):
    ideas = [step.words.idea for step in catalog.lesson(name).steps if step.words.idea]
    for text, language in product(ideas, catalog.Language):
        said = text.said(language)
        links, drawn = LINK.findall(said), markdown_to_html(said)
        assert drawn.count("<a ") == len(links)
        assert "$" not in re.sub("<code>.*?</code>", "", drawn)
        assert "\\" not in "".join(FORMULA.findall(drawn))  # a command that is not known is left
        books = {each for each in links if each.startswith((*BOOKS.values(),))}
        assert all(each.startswith(BOOKS[language]) for each in books), books


def test_a_term_has_one_chinese_word():
    guide = (ROOT / "docs" / "add_a_lesson.md").read_text("utf-8")
    rows = re.findall(r"^\| .* \| .* \| (\S.*) \|$", guide, re.MULTILINE)
    variants = ", ".join(rows).split(", ")
    texts = [(file.name, file.read_text("utf-8")) for file in FILES]

    assert len(variants) > 10
    assert len(texts) > 100
    assert [(name, word) for name, text in texts for word in variants if word in text] == []
    assert [each for _, text in texts for each in re.findall(r"zh = .*[\d}] %", text)] == []
