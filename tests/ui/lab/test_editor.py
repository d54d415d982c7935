"""The editor's bundle is made of the sources that lie here, and of nothing that calls elsewhere."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from ui.lab import editor
from ui.lab.session import LabSession

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "tools" / "editor"
ASSETS = ROOT / "ui" / "lab" / "assets"
BUNDLE = (ASSETS / "editor.js").read_text("utf-8")
MAX_BYTES = 480_000


def test_the_bundle_was_made_from_the_sources_as_they_are():
    scripts = sorted(SOURCES.glob("*.js"))
    parts = (*scripts, SOURCES / "package.json", SOURCES / "package-lock.json")
    digest = hashlib.sha256(b"".join(part.read_bytes() for part in parts))
    assert digest.hexdigest() in BUNDLE.partition("\n")[0], "run tools/bundle.sh editor"


def test_the_bundle_is_small_makes_no_code_at_run_time_and_asks_for_its_names_alone():
    assert len(BUNDLE.encode()) < MAX_BYTES
    assert re.findall(r"\beval\s*\(|new Function|importScripts|blob:", BUNDLE) == []
    assert (
        BUNDLE.count("fetch(") == BUNDLE.count('fetch(new URL("names.json",import.meta.url))') == 1
    )
    assert set(re.findall(r"https?://[^\"'` )]+", BUNDLE)) <= {"http://www.w3.org/2000/svg"}


def test_every_bundled_package_has_its_licence_beside_it():
    lock = json.loads((SOURCES / "package-lock.json").read_text("utf-8"))
    licences = (ASSETS / "LICENSES.txt").read_text("utf-8")

    bundled = {
        (name.rpartition("node_modules/")[2], package["version"])
        for name, package in lock["packages"].items()
        if name and not package.get("dev")
    }
    assert bundled
    for name, version in bundled:
        assert f"== {name} {version}\n" in licences


def test_every_word_of_the_editors_panels_is_one_that_it_says():
    for phrase in editor.phrases():
        assert f'"{phrase}"' in BUNDLE


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("import torch\nprint(torch.ones(2))", []),
        ("import torch\nimport ctypes\n", [(2, 0)]),
        ("x = 1\nprint(x", [(2, 5)]),
    ],
)
def test_a_text_is_marked_before_it_runs(text, marks):
    found = editor.findings(text)
    assert [(each.line, each.column) for each in found] == marks
    assert all(each.severity == "error" and each.sentence for each in found)


@pytest.mark.parametrize(
    "reported",
    [
        None,
        {"text": "old", "version": 0, "at": 5},
        {"text": 3, "version": 1, "at": 5},
        {"text": "late", "version": 1, "at": 1},
        {"text": "odd", "version": 1, "at": "5"},
    ],
)
def test_what_the_editor_says_out_of_turn_is_not_taken(reported):
    lab = LabSession(text="kept", version=1, heard_at=2)
    editor._accept(lab, reported)
    assert lab.text == "kept"


@pytest.mark.parametrize(
    ("more", "origin", "exercise"),
    [({}, "", ""), ({"document": "add-anywhere", "original": "x"}, "x", "add-anywhere")],
)
def test_what_the_editor_says_is_taken_with_its_exercise(more, origin, exercise):
    lab = LabSession(text="before", version=1, heard_at=2, is_first=True)
    editor._accept(lab, {"text": "after", "version": 1, "at": 3, **more})
    assert (lab.text, lab.version, lab.heard_at, lab.is_first) == ("after", 1, 3, False)
    assert (lab.origin, lab.exercise) == (origin, exercise)


def test_a_text_that_replaces_all_also_replaces_what_the_editor_has_not_sent_yet():
    lab = LabSession(text="the solution")
    unsent = {"text": "mine", "version": lab.version, "at": 5}

    lab.replace("the solution")  # as far as the server knows, nothing changes
    editor._accept(lab, unsent)

    assert lab.text == "the solution"
    assert lab.version != unsent["version"]  # the editor's script shows the text from here
