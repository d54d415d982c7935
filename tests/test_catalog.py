"""The contract of every lesson that is there, found by looking and not by a list."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from playground import catalog, challenges, compute
from playground.catalog.parity import without_code
from playground.catalog.settings import report_class
from playground.compute.dispatch import find_experiment
from playground.compute.streaming import StreamSettings
from playground.export import ShownStep, as_script
from tests.answers import answer_once
from tests.fresh import run_fresh

ROOT = Path(__file__).parent.parent
LESSONS = ROOT / "playground" / "lessons"
NAMES = sorted(file.parent.name for file in LESSONS.glob("*/lesson.toml"))
NO_LESSONS = {"home", "quiz", "teacher"}
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*.py") if page.stem not in NO_LESSONS)
OWN_PAGES = [each.name for each in catalog.curriculum().lessons if each.is_page]
MOST_TRIES = 5
each_lesson = pytest.mark.parametrize("name", NAMES)
OLDER = [each.name for each in catalog.lessons() if not each.has_step_modules]
each_older_lesson = pytest.mark.parametrize("name", OLDER)  # the others: tests/lessons


def texts_of(lesson: catalog.Lesson) -> list[catalog.Text]:
    """Every text of a lesson."""
    tables = [lesson.labels, lesson.answers, lesson.whys, lesson.alts, *lesson.options.values()]
    questions = [step.prediction.question for step in lesson.steps if step.prediction]
    for words in (step.words for step in lesson.steps if step.words):
        tables += [words.explanations, words.answers, words.if_wrong, words.labels, words.alts]
        tables += words.options.values()
        questions += [each.task for each in words.challenges]
        questions += [each.hint for each in words.challenges]
        questions += [each.question for each in words.rounds if each.question]
    return [
        lesson.title,
        lesson.lead,
        *questions,
        *(text for text, _ in lesson.remember),
        *(text for table in tables for text in table.values()),
        *(text for step in lesson.steps for text in (step.title, step.prose)),
        *(text for each in lesson.challenges for text in (each.task, each.hint)),
    ]


def grades(
    name: str, challenge: catalog.Challenge, settings: compute.Settings[Any]
) -> Iterator[bool]:
    """Whether settings meet a challenge; what was measured beside other work is measured again."""
    for _ in range(MOST_TRIES if settings.measures else 1):
        yield challenges.grade(name, challenge, answer_once(settings))


def test_every_lesson_is_complete_and_in_order() -> None:
    lessons = catalog.lessons()

    assert sorted(lesson.name for lesson in lessons) == NAMES
    assert [lesson.order for lesson in lessons] == sorted({lesson.order for lesson in lessons})


def test_lessons_and_pages_belong_together_one_to_one() -> None:
    assert sorted([*NAMES, *OWN_PAGES]) == PAGES


@pytest.mark.parametrize("name", OWN_PAGES)
def test_a_page_without_steps_has_tests_that_cover_each_of_its_rows(name: str) -> None:
    planned = catalog.curriculum().planned(name)
    tests = (ROOT / "tests" / "e2e" / f"test_{name}.py").read_text("utf-8")
    assert planned is not None

    assert re.findall(r'covers\("(\w+)"\)\s+def test_', tests) == [row.id for row in planned.rows]


def test_no_folder_among_the_lessons_is_stray() -> None:
    stray = [
        folder.name
        for folder in LESSONS.iterdir()
        if any(folder.glob("*.py")) and not (folder / "lesson.toml").exists()
    ]

    assert stray == []


def test_lessons_are_parsed_once() -> None:
    assert catalog.lessons() is catalog.lessons()


def test_words_are_read_without_the_settings_of_any_lesson() -> None:
    program = (
        "import sys; from playground import catalog; catalog.lessons();"
        "print([name for name in sys.modules if name.startswith('playground.lessons.')])"
    )

    assert run_fresh(program) == "[]\n"


def test_words_and_settings_agree() -> None:
    catalog.check_lessons()


def test_a_fault_of_the_curriculum_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = catalog.CURRICULUM.read_text("utf-8")
    assert 'en = "' in words
    file = tmp_path / "curriculum.toml"
    file.write_text(words.replace('en = "', 'en = "`only_here` ', 1), "utf-8")
    monkeypatch.setattr(catalog, "CURRICULUM", file)

    with pytest.raises(catalog.CatalogError) as told:
        catalog.check_lessons()

    assert "code spans only in en: only_here" in str(told.value)


def test_the_curriculum_has_every_row_once_and_both_lessons_of_the_foundation() -> None:
    rows = catalog.curriculum().row_ids()

    assert len(set(rows)) == len(rows)
    expected = {f"D{number}" for number in range(1, 10)} | {f"T{number}" for number in range(1, 12)}
    assert expected <= set(rows)
    assert catalog.curriculum().planned("devices") is not None


def test_every_chapter_of_the_curriculum_has_a_lesson() -> None:
    chapters = {chapter.id for chapter in catalog.chapters()}

    assert {lesson.chapter for lesson in catalog.curriculum().lessons} == chapters


@each_older_lesson
def test_a_lesson_has_its_tests(name: str) -> None:
    folder = ROOT / "tests" / "lessons" / name

    for part in ("experiment", "figures", "source"):
        assert list(folder.glob(f"test_{part}*.py")), f"tests/lessons/{name}/test_{part}.py"


@each_lesson
def test_a_lesson_that_teaches_rows_teaches_all_of_its_rows(name: str) -> None:
    lesson, planned = catalog.lesson(name), catalog.curriculum().planned(name)
    covered = {row for step in lesson.steps for row in step.covers}
    if not covered or planned is None:
        pytest.skip("teaches no row of the curriculum yet")

    missing = [row.id for row in planned.rows if row.id not in covered]

    assert missing == [], f"no step of {name} covers {', '.join(missing)}"


@each_lesson
def test_a_lesson_that_teaches_rows_sets_two_challenges(name: str) -> None:
    lesson = catalog.lesson(name)
    if not any(step.covers for step in lesson.steps):
        pytest.skip("teaches no row of the curriculum yet")

    own = [len(step.words.challenges) for step in lesson.steps if step.words]
    assert sum(own) + len(lesson.challenges) >= 2


@each_older_lesson
def test_every_settings_class_has_its_experiment_with_matching_types(name: str) -> None:
    for class_name, settings_class in catalog.settings_classes(name).items():
        experiment = find_experiment(settings_class)
        hints = get_type_hints(experiment)
        parameter, *others = inspect.signature(experiment).parameters

        assert others == (["tell"] if issubclass(settings_class, StreamSettings) else [])
        assert hints[parameter] is settings_class, class_name
        assert hints["return"] is report_class(settings_class), class_name


@each_older_lesson
def test_every_step_runs_at_its_defaults(name: str) -> None:
    for step in catalog.lesson(name).steps:
        settings = catalog.build_settings(name, step.settings, {})

        report = answer_once(settings)

        assert isinstance(report, report_class(type(settings)) or object), step.id


@each_older_lesson
def test_challenges_fail_at_their_starting_and_pass_at_their_model_settings(name: str) -> None:
    for challenge in catalog.lesson(name).challenges:
        starting, model = (
            catalog.build_settings(name, challenge.settings, values)
            for values in (challenge.starting_settings, challenge.model_settings)
        )

        assert not all(grades(name, challenge, starting)), challenge.id
        assert any(grades(name, challenge, model)), challenge.id


@each_lesson
def test_words_stay_calm(name: str) -> None:
    exclaiming = [
        said
        for text in texts_of(catalog.lesson(name))
        for said in (text.en, text.zh)
        if re.search(r"！|!(?!=)", without_code(said))
    ]

    assert exclaiming == []


@each_lesson
def test_the_words_of_a_lesson_survive_in_a_script(name: str) -> None:
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
