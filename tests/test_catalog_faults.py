"""Each kind of fault in a lesson's files is told in words that name the file and the id."""

from pathlib import Path

import pytest

from playground import catalog
from playground.catalog.faults import Faults
from tests.sample_lesson import faults_of, load_module, replace, write_sample

TOML = "lessons/sample/lesson.toml"
STEP = f"{TOML}: step 'shapes-must-fit'"
CHALLENGE = f"{TOML}: challenge 'make-it-fit'"

WORDS = [
    ('en = "Device of both", ', "", f"{TOML}: labels: device: en is absent"),
    ('zh = "矩阵的行数"', 'zh = " "', f"{TOML}: labels: rows: zh is empty"),
    ('zh = "矩阵的行数"', 'zh = "Matrix rows"', f"{TOML}: labels: rows: zh is not Chinese"),
    ('en = "Rows of the matrix"', 'en = "矩阵"', f"{TOML}: labels: rows: en is not English"),
    (
        'zh = "矩阵的行数"',
        'zh = "矩阵的行数", de = "Zeilen"',
        f"{TOML}: labels: rows: unknown key de",
    ),
    (
        'en = "Rows of the matrix"',
        'en = "Rows of `matrix`"',
        f"{TOML}: labels: rows: code spans only in en: matrix",
    ),
    (
        "矩阵每行有 {columns} 个数，而向量有 {length} 个数。",
        "矩阵每行有 {columns} 个数，而向量有 {size} 个数。",
        f"{TOML}: whys: different: placeholders only in en: length\n"
        f"{TOML}: whys: different: placeholders only in zh: size",
    ),
    (
        'zh = "形状必须匹配"',
        'zh = "形状必须匹配 {rows}"',
        f"{STEP}: title: has a {{placeholder}}, but nothing fills it here",
    ),
]
STRUCTURE = [
    ("minutes = 5", "", f"{TOML}: minutes is absent"),
    ("minutes = 5", "minutes = 0", f"{TOML}: minutes must be a whole number, 1 or more"),
    ("minutes = 5", "minutes = 5\ncolour = 3", f"{TOML}: unknown key colour"),
    (
        'chapter = "devices"',
        'chapter = "tools"',
        f"{TOML}: chapter 'tools' is not in curriculum.toml",
    ),
    (
        "covers = [] ",
        'covers = ["D0"] ',
        f"{STEP}: covers 'D0', which is no row of curriculum.toml",
    ),
    ("covers = [] ", "#", f"{STEP}: covers is absent"),
    (
        'settings = "MultiplyMatrix"\ntitle',
        'settings = "Multiply"\ntitle',
        f"{STEP}: settings 'Multiply' is no settings class of records.py",
    ),
    (
        'answers = ["works", "RuntimeError", "other"]',
        'answers = ["works"]',
        f"{STEP}: prediction: answers must be two or more, or [] if the page passes them",
    ),
    (
        'answers = ["works", "RuntimeError", "other"]',
        'answers = ["works", "works"]',
        f"{STEP}: prediction: answers names 'works' twice",
    ),
    (
        "[whys]",
        '[options.colour]\nred = { en = "red", zh = "红色" }\n[whys]',
        f"{TOML}: options.colour: no settings class has a field 'colour'",
    ),
]
CHALLENGES = [
    (
        "starting_settings = { columns = 3, length = 4 }",
        "",
        f"{CHALLENGE}: starting_settings is absent",
    ),
    (
        'check = { field = "outcome.ok", equals = true }',
        'check = { field = "outcome.ok", equals = true, at_least = 1 }',
        f"{CHALLENGE}: check: needs exactly one of equals, at_least, at_most, or predicate",
    ),
    (
        'check = { field = "outcome.ok", equals = true }',
        'check = { field = "outcome.fine", equals = true }',
        f"{CHALLENGE}: check: Outcome has no field 'fine'",
    ),
    (
        'check = { predicate = "takes_twelve_products" }',
        'check = { predicate = "takes_ten" }',
        f"{TOML}: challenge 'twelve-products': check: challenges.py has no function 'takes_ten'",
    ),
    (
        'id = "twelve-products"',
        'id = "make-it-fit"',
        f"{TOML}: challenge 'make-it-fit' is there twice",
    ),
    (
        "starting_settings = { columns = 3, length = 4 }",
        "starting_settings = { columns = 3, width = 4 }",
        f"{CHALLENGE}: starting_settings: MultiplyMatrix refuses it: choice (field='width', "
        "given='width', allowed='machine, device, rows, columns, length')",
    ),
    (
        "model_settings = { columns = 4, length = 4 }",
        "model_settings = { columns = 99 }",
        f"{CHALLENGE}: model_settings: MultiplyMatrix refuses it: bounds (field='columns', "
        "given=99, least=1, most=64)",
    ),
]
PROSE = [
    (
        "zh.md",
        "## shapes-must-fit\n",
        "## other\n",
        "lessons/sample/zh.md: section 'shapes-must-fit' is absent\n"
        "lessons/sample/zh.md: section 'other' belongs to no step of lesson.toml",
    ),
    (
        "zh.md",
        "## shapes-must-fit\n",
        "# Title\n## shapes-must-fit\n",
        "lessons/sample/zh.md: text stands before the first section",
    ),
    (
        "en.md",
        "`matrix @ vector`",
        "`matrix @ x`",
        "lessons/sample/zh.md: section 'shapes-must-fit': code spans only in en: matrix @ x\n"
        "lessons/sample/zh.md: section 'shapes-must-fit': code spans only in zh: matrix @ vector",
    ),
    (
        "en.md",
        "Predict what",
        "\n```python\nx = 1\n```\nPredict what",
        "lessons/sample/zh.md: section 'shapes-must-fit': the code blocks of en and zh differ",
    ),
]


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_sample(tmp_path, monkeypatch)


def test_a_complete_lesson_has_no_fault(sample: Path) -> None:
    assert faults_of(sample) == ()


@pytest.mark.parametrize(("old", "new", "told"), WORDS + STRUCTURE + CHALLENGES)
def test_a_fault_in_lesson_toml_is_told(sample: Path, old: str, new: str, told: str) -> None:
    replace(sample / "lesson.toml", old, new)

    assert "\n".join(faults_of(sample)) == told


@pytest.mark.parametrize(("file", "old", "new", "told"), PROSE)
def test_a_fault_in_the_prose_is_told(
    sample: Path, file: str, old: str, new: str, told: str
) -> None:
    replace(sample / file, old, new)

    assert "\n".join(faults_of(sample)) == told


def test_an_empty_section_is_told(sample: Path) -> None:
    (sample / "en.md").write_text("## shapes-must-fit\n", encoding="utf-8")

    assert faults_of(sample) == ("lessons/sample/en.md: section 'shapes-must-fit' is empty",)


def test_sections_in_another_order_than_the_steps_are_told(sample: Path) -> None:
    replace(sample / "lesson.toml", "[answers]", f"{SECOND_STEP}\n[answers]")
    for file, words in (("en.md", "Words."), ("zh.md", "文字。")):
        text = (sample / file).read_text(encoding="utf-8")
        (sample / file).write_text(f"## second\n{words}\n{text}", encoding="utf-8")

    told = "sections must be in the order of the steps: shapes-must-fit, second"
    assert faults_of(sample) == (f"lessons/sample/en.md: {told}", f"lessons/sample/zh.md: {told}")


def test_a_step_that_is_there_twice_is_told(sample: Path) -> None:
    again = SECOND_STEP.replace("second", "shapes-must-fit")
    replace(sample / "lesson.toml", "[answers]", f"{again}\n[answers]")

    assert faults_of(sample) == (f"{TOML}: step 'shapes-must-fit' is there twice",)


def test_a_word_for_an_id_that_no_choice_has_is_told(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(
        sample / "records.py",
        "    rows: int = 2\n",
        "    rows: int = 2\n    kind: MachineKind = MachineKind.REAL\n",
    )
    replace(sample / "records.py", "import DeviceName,", "import MachineKind, DeviceName,")
    load_module(sample, "records", monkeypatch)
    words = 'real = { en = "real", zh = "真实" }\nfake = { en = "fake", zh = "假" }'
    replace(sample / "lesson.toml", "[whys]", f"[options.kind]\n{words}\n[whys]")

    assert faults_of(sample) == (f"{TOML}: options.kind: 'fake' is no choice of 'kind'",)


@pytest.mark.parametrize("file", ["lesson.toml", "en.md", "zh.md"])
def test_a_file_that_is_not_utf8_is_told(sample: Path, file: str) -> None:
    (sample / file).write_bytes("张量".encode("gb18030"))

    assert f"lessons/sample/{file}: the file is not UTF-8" in faults_of(sample)


def test_an_absent_file_is_told(sample: Path) -> None:
    (sample / "zh.md").unlink()

    assert faults_of(sample) == ("lessons/sample/zh.md: the file is absent",)


def test_a_broken_lesson_toml_is_told_once(sample: Path) -> None:
    (sample / "lesson.toml").write_text("order = ", encoding="utf-8")

    told = [
        fault for fault in faults_of(sample) if "lesson.toml" in fault and "section" not in fault
    ]
    assert len(told) == 1
    assert told[0].startswith(f"{TOML}: not TOML: ")


def test_two_lessons_of_one_order_are_told(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = write_sample(tmp_path, monkeypatch, "second")
    replace(second / "lesson.toml", "order = 2", "order = 1")

    assert faults_of(sample) == ("lessons: 'sample' and 'second' both have order 1",)


def test_all_faults_are_told_at_once(sample: Path) -> None:
    replace(sample / "lesson.toml", "minutes = 5", "")
    replace(sample / "lesson.toml", 'icon = "🧪"', "")
    (sample / "en.md").unlink()

    with pytest.raises(catalog.CatalogError) as raised:
        catalog.read_lessons(sample.parent, catalog.curriculum(), Faults())

    assert len(raised.value.faults) == 3
    assert str(raised.value) == "\n".join(raised.value.faults)


SECOND_STEP = """
[[steps]]
id = "second"
covers = []
settings = "MultiplyMatrix"
title = { en = "Second", zh = "第二步" }
"""
