import re
from pathlib import Path

import pytest

from playground import catalog
from playground.catalog.parity import without_code
from playground.export import ShownStep, as_script
from tests.fresh import run_fresh
from ui.html_escape import markdown_to_html

ROOT = Path(__file__).parent.parent
LESSONS = ROOT / "playground" / "lessons"
NAMES = sorted(file.parent.name for file in LESSONS.glob("*/lesson.toml"))
NO_LESSONS = {"home", "me", "projector", "quiz", "teacher"}
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*.py") if page.stem not in NO_LESSONS)
OWN_PAGES = [each.name for each in catalog.curriculum().lessons if each.is_page]
LINK = re.compile(r"\]\((\S+?)\)")
BOOKS = {catalog.Language.EN: "https://d2l.ai/", catalog.Language.ZH: "https://zh.d2l.ai/"}
each_lesson = pytest.mark.parametrize("name", NAMES)


def texts_of(lesson: catalog.Lesson) -> list[catalog.Text]:
    """Every text of a lesson."""
    tables = []
    questions = [step.prediction.question for step in lesson.steps if step.prediction]
    for words in (step.words for step in lesson.steps):
        tables += [words.explanations, words.answers, words.if_wrong, words.labels, words.alts]
        tables += words.options.values()
        questions += [each.task for each in words.challenges]
        questions += [each.hint for each in words.challenges]
        questions += [each.question for each in words.rounds if each.question]
        questions += [words.idea] if words.idea else []
    return [
        lesson.title,
        lesson.lead,
        *questions,
        *(text for text, _ in lesson.remember),
        *(text for table in tables for text in table.values()),
        *(text for step in lesson.steps for text in (step.title, step.prose)),
    ]


def test_every_lesson_is_complete_and_in_order():
    lessons = catalog.lessons()

    assert sorted(lesson.name for lesson in lessons) == NAMES
    assert [lesson.order for lesson in lessons] == sorted({lesson.order for lesson in lessons})


def test_lessons_and_pages_belong_together_one_to_one():
    assert sorted([*NAMES, *OWN_PAGES]) == PAGES


@pytest.mark.parametrize("name", OWN_PAGES)
def test_a_page_without_steps_has_tests_that_cover_each_of_its_rows(name):
    planned = catalog.curriculum().planned(name)
    tests = (ROOT / "tests" / "e2e" / f"test_{name}.py").read_text("utf-8")
    assert planned is not None

    assert re.findall(r'covers\("(\w+)"\)\s+def test_', tests) == [row.id for row in planned.rows]


def test_no_folder_among_the_lessons_is_stray():
    stray = [
        folder.name
        for folder in LESSONS.iterdir()
        if any(folder.glob("*.py")) and not (folder / "lesson.toml").exists()
    ]

    assert stray == []


def test_lessons_are_parsed_once():
    assert catalog.lessons() is catalog.lessons()


def test_words_are_read_without_the_steps_of_any_lesson():
    program = (
        "import sys; from playground import catalog; catalog.lessons();"
        "print([name for name in sys.modules if name.startswith('playground.lessons.')])"
    )

    assert run_fresh(program) == "[]\n"


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


def test_the_curriculum_has_every_row_once_and_both_lessons_of_the_foundation():
    rows = catalog.curriculum().row_ids()

    assert len(set(rows)) == len(rows)
    expected = {f"D{number}" for number in range(1, 10)} | {f"T{number}" for number in range(1, 12)}
    assert expected <= set(rows)
    assert catalog.curriculum().planned("devices") is not None


def test_every_chapter_of_the_curriculum_has_a_lesson():
    chapters = {chapter.id for chapter in catalog.chapters()}

    assert {lesson.chapter for lesson in catalog.curriculum().lessons} == chapters


@each_lesson
def test_a_lesson_that_teaches_rows_teaches_all_of_its_rows(name):
    lesson, planned = catalog.lesson(name), catalog.curriculum().planned(name)
    covered = {row for step in lesson.steps for row in step.covers}
    if not covered or planned is None:
        pytest.skip("teaches no row of the curriculum yet")

    missing = [row.id for row in planned.rows if row.id not in covered]

    assert missing == [], f"no step of {name} covers {', '.join(missing)}"


@each_lesson
def test_a_lesson_that_teaches_rows_sets_two_challenges(name):
    lesson = catalog.lesson(name)
    if not any(step.covers for step in lesson.steps):
        pytest.skip("teaches no row of the curriculum yet")

    assert sum(len(step.words.challenges) for step in lesson.steps) >= 2


@each_lesson
def test_words_stay_calm(name):
    exclaiming = [
        said
        for text in texts_of(catalog.lesson(name))
        for said in (text.en, text.zh)
        if re.search(r"！|!(?!=)", without_code(said))
    ]

    assert exclaiming == []


@each_lesson
def test_ideas_can_be_shown_and_link_to_the_book_in_their_language(name):
    ideas = [step.words.idea for step in catalog.lesson(name).steps if step.words]
    for text in filter(None, ideas):
        for language in catalog.Language:
            said = text.said(language)
            links = LINK.findall(said)

            assert markdown_to_html(said).count("<a ") == len(links)
            books = {each for each in links if each.startswith((*BOOKS.values(),))}
            assert all(each.startswith(BOOKS[language]) for each in books), books


@each_lesson
def test_the_words_of_a_lesson_survive_in_a_script(name):
    for language in catalog.Language:
        steps = [
            ShownStep(
                id=step.id,
                title=step.title.said(language),
                prose=step.prose.said(language),
                program="result = None\n",
            )
            for step in catalog.lesson(name).steps
        ]

        compile(as_script(catalog.lesson(name).title.said(language), steps), name, "exec")


def test_a_term_has_one_chinese_word():
    guide = (ROOT / "docs" / "add_a_lesson.md").read_text("utf-8")
    rows = re.findall(r"^\| .* \| .* \| (\S.*) \|$", guide, re.MULTILINE)
    variants = ", ".join(rows).split(", ")
    files = [
        file for part in ("playground", "ui", "hosting") for file in (ROOT / part).rglob("*.toml")
    ]
    texts = [(file.name, file.read_text("utf-8")) for file in files]

    assert len(variants) > 10
    assert len(texts) > 100
    assert [(name, word) for name, text in texts for word in variants if word in text] == []
    assert [each for _, text in texts for each in re.findall(r"zh = .*[\d}] %", text)] == []
