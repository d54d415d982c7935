"""A file that asks for more than numbers, as a program."""

from playground.lessons.save_and_load.records import AskPickle, Cargo

TEXT = "This line came out of a file"
WISH = """\
class Weights:
    def __reduce__(self):  # how pickle is told to build it again
        return {function}, ("{argument}",)


torch.save(Weights(), "weights.pt")"""
SAVED = {
    Cargo.COMMAND: WISH.format(function="os.system", argument=f"echo {TEXT}"),
    Cargo.PROGRAM: WISH.format(function="exec", argument=f"print('{TEXT}')"),
    Cargo.MODULE: 'torch.save(nn.Linear(4, 2), "weights.pt")',
    Cargo.WEIGHTS: 'torch.save(nn.Linear(4, 2).state_dict(), "weights.pt")',
}
IMPORTED = {
    Cargo.COMMAND: "import os\nimport pickletools\nimport zipfile\n\nimport torch\n\n\n",
    Cargo.PROGRAM: "import pickletools\nimport zipfile\n\nimport torch\n\n\n",
}
NETWORK = "import pickletools\nimport zipfile\n\nimport torch\nfrom torch import nn\n\n"


def ask_pickle(settings: AskPickle) -> str:
    """Save, list the steps of the pickle, and load with the check on."""
    return f"""\
{IMPORTED.get(settings.cargo, NETWORK)}{SAVED[settings.cargo]}

with zipfile.ZipFile("weights.pt") as archive:
    pickle = archive.read("weights/data.pkl")
steps = [(step.name, argument) for step, argument, _ in pickletools.genops(pickle)]
for name, argument in steps:  # nothing is executed by looking
    print(name, "" if argument is None else argument)

result = len(steps)
torch.load("weights.pt")  # weights_only=True since torch 2.6; refuses what is no tensor
"""
