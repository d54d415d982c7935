"""The settings as a page of documentation, made from the record itself.

``python -m hosting.settings_table > docs/settings.md``; a test compares the two.
"""

import dataclasses
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

from hosting.parsing import FILE_SUFFIX, is_secret
from hosting.settings import ROOT, Settings, variable

HEAD = f"""# Settings

The operator's settings are environment variables, read once, when the server starts. A value that
cannot be meant, or a variable that begins with `PLAYGROUND_` and is not below, ends the start with
one sentence. Where it says "or a file", `<VARIABLE>{FILE_SUFFIX}` may name a file with the value.
"In all" means one web process: of several replicas, each counts for itself.

| variable | default | bounds | meaning |
|---|---|---|---|
"""
FOOT = """
`PLAYGROUND_LAB_WITHOUT_JAIL` belongs to the sandbox: [decision 0016](decisions/0016-the-jail.md).
"""


def page() -> str:
    """The whole page, as Markdown."""
    return HEAD + "".join(_row(field) for field in dataclasses.fields(Settings)) + FOOT


def _row(field: "dataclasses.Field[Any]") -> str:
    known = field.metadata
    kind: Any = field.type
    if known["most"]:
        bounds = f"{known['least']} … {known['most']}"
    elif isinstance(kind, type) and issubclass(kind, StrEnum):
        bounds = ", ".join(kind)
    else:
        bounds = "or a file" if is_secret(field) else ""
    return (
        f"| `{variable(field.name)}` | {_said(field.default)} | {bounds} | {known['meaning']} |\n"
    )


def _said(default: Any) -> str:
    if isinstance(default, Path):
        return f"`{default.relative_to(ROOT)}` beside `app.py`"
    return f"`{default}`" if default not in ("", ()) else ""


if __name__ == "__main__":
    sys.stdout.write(page())
