import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from playground import catalog
from playground.catalog.faults import Faults
from tools import new_lesson

ROOT = Path(__file__).parent.parent
STEP = "shapes_must_fit"
EN, ZH = 'en = "Rows of the matrix"', 'zh = "矩阵的行数"'
FAULTS = {
    f"{STEP}.toml": [
        (f"{EN}, ", "", "labels: rows: en is absent"),
        (ZH, 'zh = " "', "labels: rows: zh is empty"),
        (ZH, "zh = 3", "labels: rows: must be { en = …, zh = … }"),
        (ZH, 'zh = "Matrix rows"', "labels: rows: zh is not Chinese"),
        (f"{EN}, {ZH}", 'en = "Rows `行`", zh = "`行`"', "labels: rows: zh is not Chinese"),
        (EN, 'en = "矩阵"', "labels: rows: en is not English"),
        (ZH, f'{ZH}, de = "Zeilen"', "labels: rows: unknown key de"),
        (EN, 'en = "Rows of `matrix`"', "labels: rows: code spans only in en: matrix"),
        (
            "而向量有 {length} 个",
            "而向量有 {size} 个",
            "explanations: different: placeholders only in en: length",
            "explanations: different: placeholders only in zh: size",
        ),
        ("匹配", "匹配 {rows}", "title: has a {placeholder}, but nothing fills it here"),
        ("covers = [] ", 'covers = ["D0"] ', "covers 'D0', which is no row of curriculum.toml"),
        ("covers = [] ", "#", "covers is absent"),
        ("covers = [] ", "colour = 3\ncovers = [] ", "unknown key colour"),
        ('"works", "RuntimeError"', '"works", "works"', "answers names 'works' twice"),
        ("settings = { rows = 4, columns = 3, length = 3 }", "", "round '1': settings is absent"),
        (
            "starting = { columns = 3, length = 4 }",
            "begin = 3",
            "challenge 'make_it_fit': starting is absent",
            "challenge 'make_it_fit': unknown key begin",
        ),
    ],
    "lesson.toml": [
        ("minutes = 5", "", "minutes is absent"),
        ("minutes = 5", "minutes = 0", "minutes must be a whole number, 1 or more"),
        ("minutes = 5", "minutes = 5\ncolour = 3", "unknown key colour"),
        ('chapter = "devices"', 'chapter = "tools"', "chapter 'tools' is not in curriculum.toml"),
        (f'["{STEP}"]', f'["{STEP}", "{STEP}"]', f"steps names '{STEP}' twice"),
        ('code = "product = matrix @ vector"', "", "sentence '1': code is absent"),
    ],
}


def write_sample(tree: Path, monkeypatch: pytest.MonkeyPatch, name: str = "sample") -> Path:
    """Write the lesson that ``make lesson`` gives below ``tree``; its step can be imported."""
    (tree / "playground").mkdir(exist_ok=True)
    shutil.copy(ROOT / "playground" / "curriculum.toml", tree / "playground")
    monkeypatch.setattr(new_lesson, "ROOT", tree)
    monkeypatch.setattr(new_lesson, "LESSONS", tree / "playground" / "lessons")
    new_lesson.write_lesson(name)
    folder = tree / "playground" / "lessons" / name
    full_name = f"playground.lessons.{name}.{STEP}"
    spec = importlib.util.spec_from_file_location(full_name, folder / f"{STEP}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, full_name, module)
    spec.loader.exec_module(module)
    return folder


@pytest.fixture
def sample(tmp_path, monkeypatch):
    return write_sample(tmp_path, monkeypatch)


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
    file.write_text(text.replace(old, new), encoding="utf-8")


def faults_of(folder: Path) -> tuple[str, ...]:
    """Return the catalog's faults of all lessons beside this one."""
    try:
        catalog.read_lessons(folder.parent, catalog.curriculum(), Faults())
    except catalog.CatalogError as error:
        return error.faults
    return ()


def test_a_complete_lesson_has_no_fault(sample):
    assert faults_of(sample) == ()


@pytest.mark.parametrize(
    ("file", "old", "new", "reported"),
    [(file, old, new, found) for file in FAULTS for old, new, *found in FAULTS[file]],
)
def test_a_fault_is_reported(sample, file, old, new, reported):
    replace(sample / file, old, new)
    assert faults_of(sample) == tuple(f"lessons/sample/{file}: {each}" for each in reported)


def test_a_step_without_a_module_is_reported(sample):
    replace(sample / "lesson.toml", f'steps = ["{STEP}"]', f'steps = ["{STEP}", "second"]')
    shutil.copy(sample / f"{STEP}.toml", sample / "second.toml")
    [fault] = faults_of(sample)
    assert fault.startswith("lessons/sample/second.py: No module named")


def test_a_step_that_cannot_be_made_is_reported(sample, monkeypatch):
    monkeypatch.delattr(sys.modules[f"playground.lessons.sample.{STEP}"], "ShapesMustFit")
    [fault] = faults_of(sample)
    assert fault.startswith(f"lessons/sample/{STEP}.py: ")
    assert fault.endswith(f"playground.lessons.sample.{STEP} defines 0 steps instead of one")


@pytest.mark.parametrize("file", ["lesson.toml", f"{STEP}.toml"])
def test_a_file_that_is_not_utf8_is_reported(sample, file):
    (sample / file).write_bytes("张量".encode("gb18030"))
    assert f"lessons/sample/{file}: the file is not UTF-8" in faults_of(sample)


def test_an_absent_file_is_reported(sample):
    (sample / f"{STEP}.toml").unlink()
    assert faults_of(sample) == (f"lessons/sample/{STEP}.toml: the file is absent",)


def test_a_broken_file_is_reported_once(sample):
    (sample / "lesson.toml").write_text("order = ", encoding="utf-8")
    [fault] = faults_of(sample)
    assert fault.startswith("lessons/sample/lesson.toml: not TOML: ")


def test_two_lessons_of_one_order_are_reported(sample, tmp_path, monkeypatch):
    second = write_sample(tmp_path, monkeypatch, "second")
    replace(second / "lesson.toml", "order = 2", "order = 1")
    assert faults_of(sample) == ("lessons: 'sample' and 'second' both have order 1",)


def test_all_faults_are_reported_at_once(sample):
    replace(sample / "lesson.toml", "minutes = 5", "")
    replace(sample / "lesson.toml", 'icon = "🧪"', "")
    (sample / f"{STEP}.toml").unlink()

    with pytest.raises(catalog.CatalogError) as raised:
        catalog.read_lessons(sample.parent, catalog.curriculum(), Faults())

    assert len(raised.value.faults) == 3
    assert str(raised.value) == "\n".join(raised.value.faults)
