"""A complete little lesson of the kind that has no step modules yet, in a folder of its own."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from playground import catalog
from playground.catalog.faults import Faults
from tools import new_lesson

ROOT = Path(__file__).parent.parent


def write_sample(tree: Path, monkeypatch: pytest.MonkeyPatch, name: str = "sample") -> Path:
    """Write the lesson below ``tree`` and give its folder; its modules are importable."""
    (tree / "playground").mkdir(exist_ok=True)
    shutil.copy(ROOT / "playground" / "curriculum.toml", tree / "playground")
    monkeypatch.setattr(new_lesson, "ROOT", tree)
    monkeypatch.setattr(new_lesson, "TEMPLATES", ROOT / "tests" / "older_lesson")
    monkeypatch.setattr(new_lesson, "LESSONS", tree / "playground" / "lessons")
    new_lesson.write_lesson(name)
    folder = tree / "playground" / "lessons" / name
    load_module(folder, "records", monkeypatch)
    load_module(folder, "challenges", monkeypatch)
    return folder


def load_module(folder: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load one module of the lesson under the name that the playground knows it by."""
    full_name = f"playground.lessons.{folder.name}.{part}"
    spec = importlib.util.spec_from_file_location(full_name, folder / f"{part}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, full_name, module)
    spec.loader.exec_module(module)


def replace(file: Path, old: str, new: str) -> None:
    """Change one place of a file; it must be there, once."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
    file.write_text(text.replace(old, new), encoding="utf-8")


def faults_of(folder: Path) -> tuple[str, ...]:
    """What the catalog finds wrong with all lessons beside this one."""
    try:
        catalog.read_lessons(folder.parent, catalog.curriculum(), Faults())
    except catalog.CatalogError as error:
        return error.faults
    return ()
