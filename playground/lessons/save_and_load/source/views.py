"""A part of a large tensor to a file, as a program."""

from playground.lessons.save_and_load.records import SaveView


def save_view(settings: SaveView) -> str:
    """Save the part; the size of the file."""
    saved = f"part{settings.copying.written}"
    return f"""\
import os

import torch

big = torch.arange({settings.length}, dtype=torch.float32)
part = {settings.part.written}
torch.save({saved}, "part.pt")
print(part.numel() * part.element_size())
print(part.untyped_storage().nbytes())

result = os.path.getsize("part.pt")
"""
