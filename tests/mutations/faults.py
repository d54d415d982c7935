"""The planted faults, as ``faults.toml`` lists them."""

from dataclasses import dataclass
from pathlib import Path

import tomli

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("faults.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One slip that the tests must notice.

    Attributes:
        engine: The heading under which it is listed.
        id: What is wrong then.
        file: Where, from the root of the project.
        before: The text in the file; it occurs there once.
        after: The text in its place.
        tests: Files, or ``file::test``, of which at least one test fails then.
    """

    engine: str
    id: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]


def read_faults(file: Path = LIST) -> tuple[Fault, ...]:
    """Read the list, in its order."""
    engines = tomli.loads(file.read_text("utf-8"))
    return tuple(
        Fault(engine=engine, id=id, **{**fields, "tests": tuple(fields["tests"])})
        for engine, faults in engines.items()
        for id, fields in faults.items()
    )


def planted(fault: Fault, text: str) -> str:
    """Return the text with the fault in it; ValueError if what it replaces is not there once."""
    count = text.count(fault.before)
    if count != 1:
        raise ValueError(f"{fault.id}: its text occurs {count} times in {fault.file}, not once")
    return text.replace(fault.before, fault.after)
