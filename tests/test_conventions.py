"""Files that GitHub reads: each is valid, and names what exists."""

import json
import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from hosting.settings import read

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
CI = yaml.safe_load((GITHUB / "workflows" / "ci.yml").read_text("utf-8"))
DEVCONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PAGES = [ROOT / "SECURITY.md", ROOT / "docs" / "accessibility.md"]
MANIFESTS = {  # what each kind of package is read from
    "docker": "Dockerfile",
    "docker-compose": "compose.yaml",
    "github-actions": ".github/workflows/ci.yml",
    "npm": "package-lock.json",
    "uv": "pyproject.toml",
}


def commands(job: str) -> list[str]:
    return [step["run"] for step in CI["jobs"][job]["steps"] if "run" in step]


def test_the_workflow_tries_every_python_that_the_project_supports():
    supported = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert CI["jobs"]["linux"]["strategy"]["matrix"]["python"] == supported
    elsewhere = CI["jobs"]["other-systems"]["strategy"]["matrix"]
    assert elsewhere["python"] == [supported[0], supported[-1]]
    assert {name.partition("-")[0] for name in elsewhere["system"]} == {"macos", "windows"}


def test_what_the_workflow_runs_exists():
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    lines = [shlex.split(line) for job in CI["jobs"] for line in commands(job)]

    assert len(lines) >= 4
    assert {words[1] for words in lines if words[0] == "make"} <= set(targets)
    files = [word for words in lines for word in words if word.endswith((".py", ".txt"))]
    assert files
    assert [name for name in files if not (ROOT / name).exists()] == []


def test_the_workflow_may_only_read_and_ends_by_itself():
    assert CI["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] <= 120 for job in CI["jobs"].values())


def test_the_dependency_bot_finds_what_it_updates():
    updates = yaml.safe_load((GITHUB / "dependabot.yml").read_text("utf-8"))["updates"]
    assert {each["package-ecosystem"] for each in updates} == set(MANIFESTS)
    for each in updates:
        for folder in each.get("directories") or [each["directory"]]:
            assert (ROOT / folder.strip("/") / MANIFESTS[each["package-ecosystem"]]).exists(), each


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.stem)
def test_a_form_has_what_github_asks_for(file):
    form: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))

    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert all(field["type"] in ("input", "textarea") for field in form["body"])
    assert all(field["attributes"]["label"] for field in form["body"])


def test_an_error_in_a_lesson_comes_with_the_link_of_its_state():
    form = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / "lesson_error.yml").read_text("utf-8"))
    link = next(field for field in form["body"] if field["id"] == "link")
    button = tomllib.loads((ROOT / "ui" / "words.toml").read_text("utf-8"))["panel"]["copy_link"]

    assert link["validations"] == {"required": True}
    assert button["en"] in link["attributes"]["description"]
    lesson, step = re.findall(r"/(\w+)\?step=(\w+)", link["attributes"]["placeholder"])[0]
    assert (ROOT / "playground" / "lessons" / lesson / f"{step}.toml").exists()


@pytest.mark.parametrize(
    ("codespace", "address"), [("fun-disco", "https://fun-disco-8501.app.github.dev"), ("", "")]
)
def test_a_codespace_knows_its_own_address(tmp_path, codespace, address):
    """The command of the container, with a ``make`` that prints the settings it is given."""
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\necho "$1 $PLAYGROUND_PUBLIC_ADDRESS"\n', "utf-8")
    make.chmod(0o755)
    given = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "CODESPACE_NAME": codespace,
        "GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN": "app.github.dev",
    }

    printed = subprocess.run(
        ["sh", "-c", DEVCONTAINER["postAttachCommand"]],
        env=given,
        capture_output=True,
        text=True,
        check=True,
    )

    assert printed.stdout == f"run {address}\n"
    assert read({"PLAYGROUND_PUBLIC_ADDRESS": address}).public_address == address
    assert DEVCONTAINER["forwardPorts"] == [8501]


def test_the_citation_names_the_project_as_its_metadata_do():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))

    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["title"].lower().replace(" ", "-") == PROJECT["name"]
    assert citation["license"] == PROJECT["license"]
    holder = re.findall(r"Copyright \(c\) \d+ (.*)", (ROOT / "LICENSE").read_text("utf-8"))
    assert [author["name"] for author in citation["authors"]] == holder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_statement_names_tests_and_pages_that_exist(page):
    text = page.read_text("utf-8")
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text)]
    tests = re.findall(r"`(?:tests/\w+/)?(test_\w+\.py)`", text)
    existing = {path.name for path in (ROOT / "tests").rglob("test_*.py")}

    assert links or tests
    assert [link for link in links if not (page.parent / link).exists()] == []
    assert [name for name in tests if name not in existing] == []
