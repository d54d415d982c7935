"""Writes a new lesson: page, folder and tests, complete enough to pass every check at once.

What ``make lesson NAME=buffers`` runs. It reads names and numbers only, and changes no file.
"""

import argparse
import keyword
import re
import sys
import tomllib
from pathlib import Path
from string import Template
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = Path(__file__).resolve().parent / "templates"
LESSONS = ROOT / "playground" / "lessons"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
MAX_LETTERS = 24  # keeps the import lines of a new lesson within the line length
RESERVED = {"app", "home", "pages", "playground", "router", "tests", "torch", "ui"}


class RefusedError(Exception):
    """The lesson cannot be made; the text says why, and what to do."""


def main(arguments: list[str] | None = None) -> int:
    """Make the lesson that the command line names; say what was written, or why nothing was."""
    parser = argparse.ArgumentParser(description="Write page, folder and tests of a new lesson.")
    parser.add_argument("name", help="file name of the lesson, e.g. buffers")
    parser.add_argument("chapter", nargs="?", help="chapter id of playground/curriculum.toml")
    asked = parser.parse_args(arguments)
    try:
        written = write_lesson(asked.name, asked.chapter)
    except RefusedError as refused:
        print(refused, file=sys.stderr)
        return 1
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    print("Next: change its step and its words, and run `make check`. docs/add_a_lesson.md")
    return 0


def write_lesson(name: str, chapter: str | None = None) -> list[Path]:
    """Write all files of a new lesson.

    Args:
        name: The lesson's one name.
        chapter: A chapter id; by default the one that the curriculum plans, else the first.

    Returns:
        The files written.

    Raises:
        RefusedError: The name or the chapter cannot be used; nothing was written.
    """
    check_name(name)
    values = fill_in(name, chapter)
    folders = folders_of(name)
    for target in folders.values():
        if target.exists():
            raise RefusedError(f"{target.relative_to(ROOT)} is there already; nothing was written")
    written = []
    for kind, target in folders.items():
        for template in sorted((TEMPLATES / kind).glob("*.txt")):
            path = target if kind == "page" else target / template.stem
            path.parent.mkdir(parents=True, exist_ok=True)
            text = Template(template.read_text(encoding="utf-8")).substitute(values)
            path.write_text(text, encoding="utf-8")
            written.append(path)
    return written


def folders_of(name: str) -> dict[str, Path]:
    """Return the targets of the files, by the folder of their templates."""
    return {
        "page": ROOT / "pages" / f"{name}.py",
        "lesson": LESSONS / name,
        "tests": ROOT / "tests" / "lessons" / name,
    }


def check_name(name: str) -> None:
    """Refuse a name that cannot be a file, a module and a part of a URL at once."""
    if not NAME.fullmatch(name):
        raise RefusedError(
            f"'{name}' is no lesson name: use lower-case words joined by underscores"
        )
    if len(name) > MAX_LETTERS:
        raise RefusedError(f"'{name}' is too long: at most {MAX_LETTERS} letters")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise RefusedError(f"'{name}' is a word of Python; choose another name")
    if name in sys.stdlib_module_names:
        raise RefusedError(f"'{name}' is a module of Python's library; choose another name")
    if name in RESERVED:
        raise RefusedError(f"'{name}' is taken by the playground itself; choose another name")


def fill_in(name: str, chapter: str | None) -> dict[str, str]:
    """Return the values for the templates: names, titles, the chapter and the next order."""
    curriculum = read(ROOT / "playground" / "curriculum.toml")
    chapters = [each["id"] for each in curriculum["chapters"]]
    planned = {each["name"]: each for each in curriculum["lessons"]}.get(name)
    if planned:
        title = planned["title"]
        if chapter not in (None, planned["chapter"]):
            raise RefusedError(f"curriculum.toml puts '{name}' in chapter '{planned['chapter']}'")
        chapter = planned["chapter"]
    else:
        title = {"en": name.replace("_", " ").capitalize(), "zh": f"新课：{name}"}
    chapter = chapter or chapters[0]
    if chapter not in chapters:
        raise RefusedError(f"'{chapter}' is no chapter; there are: {', '.join(chapters)}")
    orders = [read(file)["order"] for file in LESSONS.glob("*/lesson.toml")]
    return {
        "name": name,
        "order": str(max(orders, default=0) + 1),
        "chapter": chapter,
        "title_en": title["en"],
        "title_zh": title["zh"],
    }


def read(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
