"""Saving into a folder, as a program, and the line that mends it."""

from playground.lessons.save_and_load.records import Place, SaveInto
from playground.lessons.save_and_load.records.folders import MAKE_FOLDER, SAVE


def save_into(settings: SaveInto) -> str:
    """Save four numbers, and load them."""
    lines = "\n".join(settings.place.lines)
    needs = "".join(
        f"{line}\n"
        for line, word in (("import os", "os."), ("from pathlib import Path", "Path("))
        if word in lines
    )
    return f"""\
{needs}{chr(10) if needs else ""}import torch

x = torch.arange(4)
{lines}
print(x2)

result = x2.tolist()
"""


def mend_folder(settings: SaveInto) -> tuple[str, str]:
    """The line that failed, and the lines that take its place."""
    assert settings.place is Place.MISSING
    return SAVE, f"import os\n{MAKE_FOLDER}\n{SAVE}"
