"""A file that asks for more than numbers, as a program."""

from playground.lessons.save_and_load.records import AskPickle, Cargo
from playground.lessons.save_and_load.source.hostile import COMMAND, PROGRAM

SAVED = {
    Cargo.COMMAND: COMMAND,
    Cargo.PROGRAM: PROGRAM,
    Cargo.MODULE: 'torch.save(nn.Linear(4, 2), "weights.pt")',
    Cargo.WEIGHTS: 'torch.save(nn.Linear(4, 2).state_dict(), "weights.pt")',
}


def ask_pickle(settings: AskPickle) -> str:
    """Save, list the steps of the pickle, and load with the check on."""
    saved = SAVED[settings.cargo]
    network = "from torch import nn\n" if "nn." in saved else ""
    return f"""\
import pickletools
import zipfile

import torch
{network}
{saved}

with zipfile.ZipFile("weights.pt") as archive:
    pickle = archive.read("weights/data.pkl")
steps = [(step.name, argument) for step, argument, _ in pickletools.genops(pickle)]
for name, argument in steps:  # nothing is executed by looking
    print(name, "" if argument is None else argument)

result = len(steps)
torch.load("weights.pt")  # weights_only=True since torch 2.6; refuses what is no tensor
"""
