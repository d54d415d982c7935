"""``make lesson`` writes a lesson that passes every check at once, and refuses what cannot be."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from playground import catalog
from tools import new_lesson

ROOT = Path(__file__).parent.parent
COPIED = (
    "playground", "hosting", "ui", "pages", "tools", "tests",
    "app.py", "pyproject.toml", ".streamlit",
)  # fmt: skip
NAME = "rectangles"
STEP = "shapes_must_fit"
PLANNED = "custom_layers"  # in the curriculum, with a chapter and titles of its own


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the project in which two lessons were made."""
    copy = tmp_path_factory.mktemp("project")
    # What is compiled is copied too, but for files that another test is just writing.
    ignored = shutil.ignore_patterns("*.pyc.*", "node_modules", ".*_cache", NAME, PLANNED)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=ignored)
        elif source.exists():
            shutil.copy(source, copy / name)
    (copy / "pages" / f"{PLANNED}.py").unlink(missing_ok=True)
    for name in (NAME, PLANNED):
        made = run(copy, "tools/new_lesson.py", name)
        assert made.returncode == 0, made.stderr
    return copy


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )


def written(tree: Path, name: str) -> list[str]:
    """Page, folder and tests of a lesson, as paths in the copy."""
    return [f"pages/{name}.py", f"playground/lessons/{name}", f"tests/lessons/{name}"]


def test_a_new_lesson_is_in_the_catalog_without_another_file_being_edited(tree):
    program = (
        "from playground import catalog\n"
        f"for name in {(NAME, PLANNED)!r}:\n"
        "    lesson = catalog.lesson(name)\n"
        "    print(lesson.order, lesson.chapter, lesson.title.en, lesson.title.zh, sep='|')\n"
    )

    ran = run(tree, "-c", program)

    assert ran.returncode == 0, ran.stderr
    made, planned = (line.split("|") for line in ran.stdout.splitlines())
    assert int(planned[0]) == int(made[0]) + 1
    assert made[1:3] == [catalog.chapters()[0].id, "Rectangles"]
    in_curriculum = catalog.curriculum().planned(PLANNED)
    assert planned[1:] == ["blocks", in_curriculum.title.en, in_curriculum.title.zh]


@pytest.mark.parametrize("name", [NAME, PLANNED])
def test_a_new_lesson_satisfies_the_linter_and_the_formatter(tree, name):
    linted = run(tree, "-m", "ruff", "check", *written(tree, name))
    formatted = run(tree, "-m", "ruff", "format", "--check", *written(tree, name))
    assert linted.returncode == 0, linted.stdout
    assert formatted.returncode == 0, formatted.stdout


def test_a_new_lesson_passes_its_own_tests_and_those_of_all_lessons(tree):
    own = [f"tests/lessons/{NAME}", "tests/lessons/test_every_step.py"]
    ran = run(
        tree, "-m", "pytest", "-q", "-rA", "--tb=short", "-p", "no:cacheprovider",
        *own, "tests/test_catalog.py", "tests/test_architecture.py",
        "-k", f"{NAME} or {PLANNED} or one_to_one or never_loads_torch",
    )  # fmt: skip

    assert ran.returncode == 0, ran.stdout[-3000:]
    passed = re.findall(r"^PASSED (\S+?)::(\S+)", ran.stdout, re.MULTILINE)
    assert (f"{own[0]}/test_{STEP}.py", "test_another_length_is_refused") in passed
    assert {f"test_every_explanation_is_reached[{name}-{STEP}]" for name in (NAME, PLANNED)} <= {
        name for _, name in passed
    }


def test_a_lesson_is_not_overwritten(tree):
    before = (tree / "pages" / f"{NAME}.py").read_bytes()
    ran = run(tree, "tools/new_lesson.py", NAME)
    assert ran.returncode == 1
    assert ran.stderr == f"pages/{NAME}.py is there already; nothing was written\n"
    assert (tree / "pages" / f"{NAME}.py").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Buffers", "lower-case words"),
        ("../escape", "lower-case words"),
        ("1st", "lower-case words"),
        ("buffers_", "lower-case words"),
        ("x" * 25, "at most 24"),
        ("class", "a word of Python"),
        ("match", "a word of Python"),
        ("queue", "Python's library"),
        ("torch", "the playground itself"),
    ],
)
def test_a_name_that_cannot_be_is_refused_in_words(name, reason):
    with pytest.raises(new_lesson.RefusedError, match=reason):
        new_lesson.check_name(name)


def test_a_chapter_that_is_unknown_or_against_the_curriculum_is_refused():
    with pytest.raises(new_lesson.RefusedError, match="there are: devices, blocks"):
        new_lesson.fill_in(NAME, "cooking")
    with pytest.raises(new_lesson.RefusedError, match="puts 'custom_layers' in chapter 'blocks'"):
        new_lesson.fill_in(PLANNED, "lab")


def test_the_guide_names_every_file_that_is_written():
    guide = (ROOT / "docs" / "add_a_lesson.md").read_text(encoding="utf-8")
    templates = [file for file in new_lesson.TEMPLATES.rglob("*.txt") if file.parent.name != "page"]
    missing = [file.stem for file in templates if f"{file.stem}`" not in guide]
    assert missing == ["__init__.py"]  # it says nothing
