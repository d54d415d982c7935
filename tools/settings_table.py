"""Generate the documentation of the settings from their dataclass.

``python -m tools.settings_table > docs/settings.md``; a test compares the two.
"""

import dataclasses
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

from hosting.setting_field import FILE_SUFFIX, is_secret
from hosting.settings import ROOT, Settings, variable

HEAD = f"""# Settings

The operator's settings are environment variables, which are read once, when the server starts. An
invalid value, or a variable that begins with `PLAYGROUND_` and is not below, ends the start with
one sentence. "Or a file": `<VARIABLE>{FILE_SUFFIX}` may name a file with the value. All limits
count in one web process: of several replicas, each counts for itself.

| variable | default | bounds | meaning |
|---|---|---|---|
"""
FOOT = """
`PLAYGROUND_LAB_WITHOUT_JAIL` belongs to the sandbox: [decision 0016](decisions/0016-the-jail.md).
"""


def page() -> str:
    """Return the page as Markdown."""
    return HEAD + "".join(_row(field) for field in dataclasses.fields(Settings)) + FOOT


def _row(field: "dataclasses.Field[Any]") -> str:
    kind: Any = field.type
    if field.metadata["maximum"]:
        bounds = f"{field.metadata['minimum']} … {field.metadata['maximum']}"
    elif isinstance(kind, type) and issubclass(kind, StrEnum):
        bounds = ", ".join(kind)
    else:
        bounds = "or a file" if is_secret(field) else ""
    cells = (
        f"`{variable(field.name)}`",
        _default(field.default),
        bounds,
        field.metadata["meaning"],
    )
    return f"| {' | '.join(cells)} |\n"


def _default(default: Any) -> str:
    if isinstance(default, Path):
        return f"`{default.relative_to(ROOT)}` beside `app.py`"
    return f"`{default}`" if default not in ("", ()) else ""


if __name__ == "__main__":
    sys.stdout.write(page())
