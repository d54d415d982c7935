"""Tensors to a file and back, as a program."""

from playground.lessons.save_and_load.records import RoundTrip, Thing

EQUAL = {
    Thing.TENSOR: "torch.equal(x2, x)",
    Thing.LIST: "torch.equal(x2, x) and torch.equal(y2, y)",
    Thing.DICT: 'torch.equal(mydict2["x"], x) and torch.equal(mydict2["y"], y)',
    Thing.TWICE: "torch.equal(x2, x) and torch.equal(x3, x)",
}


def round_trip(settings: RoundTrip) -> str:
    """Save, perhaps change a number, and load."""
    thing, name = settings.thing, settings.thing.file_name
    has_zeros = thing in (Thing.LIST, Thing.DICT)
    zeros = f"y = torch.zeros({settings.length})\n" if has_zeros else ""
    change = "x[0] = 9\n" if settings.is_changed else ""
    shown = f"({thing.unpacked})" if ", " in thing.unpacked else thing.unpacked
    return f"""\
import os

import torch

x = torch.arange({settings.length})
{zeros}torch.save({thing.written}, "{name}")
{change}
{thing.unpacked} = torch.load("{name}")
print({shown})

result = ({EQUAL[thing]}, os.path.getsize("{name}"))
"""
