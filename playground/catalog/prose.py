"""Cuts a lesson's prose into the sections of its steps and compares the two languages."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from playground.catalog.faults import Faults
from playground.catalog.parity import differences
from playground.catalog.records import Language, Text


def read_prose(folder: Path, steps: Sequence[str], faults: Faults) -> Mapping[str, Text]:
    """Read ``en.md`` and ``zh.md``, one text per step.

    Args:
        folder: The lesson's folder.
        steps: The step ids, in order; the sections must be these, in this order.
        faults: Where faults are noted.
    """
    place = f"lessons/{folder.name}"
    spoken = {
        language: _read_sections(folder / f"{language}.md", f"{place}/{language}.md", faults)
        for language in Language
    }
    for language, sections in spoken.items():
        if sections is not None:
            _compare_ids(tuple(sections), steps, f"{place}/{language}.md", faults)
    texts = {}
    for step in steps:
        text = Text(*((spoken[language] or {}).get(step, "") for language in Language))
        texts[step] = text
        if faults.is_thorough and text.en and text.zh:
            for difference in differences(text, may_be_filled=False):
                faults.add(f"{place}/zh.md: section '{step}'", difference)
    return texts


def cut(markdown: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Cut a text at its ``## `` headings, those in code blocks apart.

    Returns:
        What stands before the first heading, and heading and body of each section.

    >>> cut("## default\\nOn the CPU.\\n## move\\nA copy.")
    ('', (('default', 'On the CPU.'), ('move', 'A copy.')))
    """
    parts: list[tuple[str, list[str]]] = [("", [])]
    fence = ""
    for line in markdown.splitlines():
        if fence:
            fence = "" if line.strip() == fence else fence
        elif line.startswith(("```", "~~~")):
            fence = line[:3]
        elif line.startswith("## "):
            parts.append((line[3:].strip(), []))
            continue
        parts[-1][1].append(line)
    sections = tuple((heading, "\n".join(body).strip()) for heading, body in parts)
    return sections[0][1], sections[1:]


def _read_sections(path: Path, place: str, faults: Faults) -> dict[str, str] | None:
    try:
        before, sections = cut(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        faults.add(place, "the file is absent")
        return None
    except UnicodeDecodeError:
        faults.add(place, "the file is not UTF-8")
        return None
    if before:
        faults.add(place, "text stands before the first section")
    found: dict[str, str] = {}
    for heading, body in sections:
        if heading in found:
            faults.add(place, f"section '{heading}' is there twice")
        if not body:
            faults.add(place, f"section '{heading}' is empty")
        found[heading] = body
    return found


def _compare_ids(given: tuple[str, ...], wanted: Sequence[str], place: str, faults: Faults) -> None:
    for absent in wanted:
        if absent not in given:
            faults.add(place, f"section '{absent}' is absent")
    for unknown in given:
        if unknown not in wanted:
            faults.add(place, f"section '{unknown}' belongs to no step of lesson.toml")
    if set(given) == set(wanted) and list(given) != list(wanted):
        faults.add(place, f"sections must be in the order of the steps: {', '.join(wanted)}")
