"""Reference: what is in a file of weights, read without running anything in it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from playground.checkpoints.inspect import inspect
from playground.compute.settings import Settings
from playground.compute.streaming import tell_nobody
from playground.errors import CheckpointUnwritableError
from playground.lessons.save_and_load import hostile, networks
from playground.modules.spec import Network
from playground.steps import (
    Answer,
    Files,
    Machine,
    MadeFile,
    Run,
    Step,
    Words,
    network_link,
    shown_if,
)

SEED = 1  # of the parameters that can be taken away
NET = "net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))\n"
GOOD = f'{NET}torch.save(net.state_dict(), "weights.pt")'
METADATA = '{"made by": "Torch Playground"}'


class FileFormat(StrEnum):
    """What writes the file; the value is how its name ends."""

    TORCH = "pt"
    SAFETENSORS = "safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteParameters(Settings[MadeFile]):
    """Build a network and save its ``state_dict``.

    Args:
        network: As JSON.
        format: What writes the file.

    Raises:
        InvalidSpecError: It is no network.
    """

    deterministic: ClassVar[bool] = False  # so that no file is kept
    uses_hardware: ClassVar[bool] = False

    network: str
    format: FileFormat = FileFormat.TORCH

    def __post_init__(self) -> None:
        """Refuse what is no network."""
        self.check_types()
        Network.from_json(self.network)

    @property
    def file_name(self) -> str:
        """What the file is called."""
        return f"network.{self.format}"

    def experiment(self) -> MadeFile:
        """Build it; called in the worker.

        Raises:
            CheckpointTooLargeError: Its parameters would fill too large a file.
            CheckpointUnwritableError: safetensors refuses it, such as tensors that share memory.
        """
        from playground.checkpoints import save  # loads torch

        state = save.built_network(Network.from_json(self.network), SEED).state_dict()
        is_torch = self.format is FileFormat.TORCH
        made = save.save_torch(state) if is_torch else save.save_safetensors(state)
        if made.data is None:
            raise CheckpointUnwritableError("checkpoint_unwritable", text=made.outcome.message)
        return MadeFile(data=made.data, file_name=self.file_name)


class Sample(StrEnum):
    """A file that the program makes."""

    GOOD = "good"
    CHECKPOINT = "checkpoint"
    SAFETENSORS = "safetensors"
    CUDA = "cuda"
    TIED = "tied"
    VIEW = "view"
    HOSTILE = "hostile"
    MODULE = "module"
    RENAMED = "renamed"
    TRUNCATED = "truncated"
    ZIPPED = "zipped"
    HTML = "html"


MADE = {
    Sample.GOOD: GOOD,
    Sample.CHECKPOINT: f"""{NET}optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
net(torch.randn(2, 20)).sum().backward()
optimizer.step()
checkpoint = {{"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}}
torch.save(checkpoint, "weights.pt")""",
    Sample.SAFETENSORS: f'{NET}save_file(net.state_dict(), "weights.safetensors", {METADATA})',
    Sample.CUDA: f'{NET}torch.save(net.to("cuda:0").state_dict(), "weights.pt")',
    Sample.TIED: """shared = nn.Linear(8, 8)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), shared, nn.ReLU(), shared, nn.Linear(8, 1))
torch.save(net.state_dict(), "weights.pt")""",
    Sample.VIEW: """big = torch.arange(20000, dtype=torch.float32)
torch.save({"first": big[:2], "every_hundredth": big[::100]}, "weights.pt")""",
    Sample.HOSTILE: hostile.COMMAND,
    Sample.MODULE: f'{NET}torch.save(net, "weights.pt")',
    Sample.RENAMED: f'{NET}save_file(net.state_dict(), "weights.pt", {METADATA})',
    Sample.TRUNCATED: f"""{GOOD}
data = Path("weights.pt").read_bytes()
Path("weights.pt").write_bytes(data[: len(data) // 2])""",
    Sample.ZIPPED: f"""{GOOD}
with zipfile.ZipFile("weights.pt") as plain:
    records = {{name: plain.read(name) for name in plain.namelist()}}
with zipfile.ZipFile("weights.pt", "w", zipfile.ZIP_DEFLATED) as packed:
    for name, data in records.items():
        packed.writestr(name, data)""",
    Sample.HTML: r"""page = "<!DOCTYPE html>\n<html><body>404: Not Found</body></html>\n"
Path("weights.pt").write_text(page)""",
}
IMPORTS = (  # with the word that needs them
    ("import zipfile", "zipfile."),
    ("from pathlib import Path", "Path("),
    ("import torch", ""),
    ("from safetensors.torch import load_file, save_file", "save_file"),
    ("from torch import nn", "nn."),
)


class Xray(Step):
    """Make a file, and load it as a stranger's file should be loaded.

    The experiment is no plain run: PyTorch's message is quoted without its advice to switch the
    check off, where the file is hostile.
    """

    sample: Sample = Sample.GOOD
    own: networks.Own = shown_if(networks.Own.MLP, network=("",))
    network: str = network_link()
    is_strict: bool = True

    def __post_init__(self) -> None:
        """Refuse what is no network."""
        super().__post_init__()
        if self.network:
            networks.read(self.network)

    def host(self) -> Machine | None:
        """A simulated machine for the file that was saved on a GPU."""
        return Machine() if self.sample is Sample.CUDA else None

    @property
    def file_name(self) -> str:
        """What the sample is called; a name proves nothing."""
        return f"weights.{'safetensors' if self.sample is Sample.SAFETENSORS else 'pt'}"

    def files(self) -> Files:
        """Any file is inspected, and loaded into the network where it is accepted."""
        network = networks.read(self.network) if self.network else self.own.network
        text = network.to_json()
        return Files(
            more=tuple(WriteParameters(network=text, format=each) for each in FileFormat),
            inspected=self.file_name,
            takes_upload=True,
            network=text,
            is_strict=self.is_strict,
        )

    def code(self, w: Words) -> str:
        """Make the file, which is folded; load it with every precaution, and list its tensors."""
        made = MADE[self.sample].rstrip()
        imports = [line for line, word in IMPORTS if word in made]
        load = 'torch.load("weights.pt", map_location="cpu", weights_only=True)'
        if "save_file" in made:
            load = f'load_file("{self.file_name}")'
        return "\n".join(
            [
                "\n".join([*imports, "", "torch.manual_seed(1)", made]) + w.folded,
                f"loaded = {load}",
                'tensors = dict(loaded.get("model", loaded))',
                "for name, tensor in tensors.items():",
                "    print(name, tuple(tensor.shape), tensor.dtype, tensor.device)",
            ]
        )

    def experiment(self, report_progress: Callable[[Any], None] = tell_nobody) -> Answer:
        """Run the program; leave the advice out where following it would run the file."""
        answer = super().experiment(report_progress)
        return hostile.without_advice(answer) if self.sample is Sample.HOSTILE else answer

    def answer(self, run: Run) -> Answer:
        """Hand the file over to the inspector of the page."""
        explanation = "loads" if run.outcome.ok else "refused"
        data = Path(self.file_name).read_bytes()
        return Answer(prediction="", explanation=explanation, file=data)


def brings_more_than_it_shows(step: Xray, answer: Answer) -> bool:
    """A tensor of the file is a part of a larger storage, which is in the file as a whole."""
    found = inspect(answer.file, step.file_name)
    return any(each.is_view_of_more for each in found.tensors)
