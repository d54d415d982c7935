"""Reference "xray": the content of a file of weights, read without executing it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from playground.checkpoints.inspect import inspect
from playground.compute.settings import Settings, check_within
from playground.compute.streaming import ignore_progress
from playground.errors import CheckpointUnwritableError
from playground.lessons.save_and_load import hostile, networks
from playground.modules.spec import Network
from playground.modules.spec.link import MAX_STEPS, trained_steps
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
    """The library that writes the file; the value is the extension of the file name."""

    TORCH = "pt"
    SAFETENSORS = "safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteParameters(Settings[MadeFile]):
    """Build a network and save its ``state_dict``.

    Args:
        network: As JSON.
        format: The library that writes the file.
        steps: How long it was trained in the builder, as in its link.

    Raises:
        InvalidSpecError: ``network`` is not a network.
    """

    deterministic: ClassVar[bool] = False  # so that no file is kept
    uses_hardware: ClassVar[bool] = False

    network: str
    format: FileFormat = FileFormat.TORCH
    steps: int = 0

    def __post_init__(self) -> None:
        self.check_types()
        check_within("steps", self.steps, least=0, most=MAX_STEPS)
        Network.from_json(self.network)

    @property
    def file_name(self) -> str:
        return f"network.{self.format}"

    def experiment(self) -> MadeFile:
        """Build the network and save it; runs in the worker.

        Raises:
            CheckpointTooLargeError: Its parameters would fill too large a file.
            CheckpointUnwritableError: safetensors refuses it, such as tensors that share memory.
        """
        from playground.checkpoints import save  # loads torch

        net = save.built_network(Network.from_json(self.network), SEED)
        if self.steps:
            from playground.modules.toy_training import load_trained

            load_trained(net, self.network, self.steps)
        state = net.state_dict()
        is_torch = self.format is FileFormat.TORCH
        made = save.save_torch(state) if is_torch else save.save_safetensors(state)
        if made.data is None:
            raise CheckpointUnwritableError("checkpoint_unwritable", text=made.outcome.message)
        return MadeFile(data=made.data, file_name=self.file_name)


class Sample(StrEnum):
    """The file that the program creates."""

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
    """Create a file, and load it as an untrusted file should be loaded.

    ``experiment`` is overridden: if the file is hostile, PyTorch's advice to switch the check off
    is removed from its message.
    """

    sample: Sample = Sample.GOOD
    own: networks.Own = shown_if(networks.Own.MLP, network=("",))
    network: str = network_link()
    is_strict: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network:
            networks.read(self.network)

    def host(self) -> Machine | None:
        # the file that was saved on a GPU needs simulated devices
        return Machine() if self.sample is Sample.CUDA else None

    @property
    def file_name(self) -> str:
        """The name of the sample; a name proves nothing."""
        return f"weights.{'safetensors' if self.sample is Sample.SAFETENSORS else 'pt'}"

    def files(self) -> Files:
        """Offer the file for inspection; an accepted one is loaded into the network."""
        network = networks.read(self.network) if self.network else self.own.network
        text = network.to_json()
        return Files(
            more=tuple(
                WriteParameters(network=text, format=each, steps=trained_steps(self.network))
                for each in FileFormat
            ),
            inspected=self.file_name,
            takes_upload=True,
            network=text,
            is_strict=self.is_strict,
        )

    def code(self, w: Words) -> str:
        """Create the file, which is folded; load it safely, and list its tensors."""
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

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run the program; remove the advice if following it would execute the file."""
        answer = super().experiment(report_progress)
        return hostile.without_advice(answer) if self.sample is Sample.HOSTILE else answer

    def answer(self, run: Run) -> Answer:
        """Pass the file to the inspector of the page."""
        explanation = "loads" if run.outcome.ok else "refused"
        data = Path(self.file_name).read_bytes()
        return Answer(prediction="", explanation=explanation, file=data)


def brings_more_than_it_shows(step: Xray, answer: Answer) -> bool:
    """Check that the file has a view together with its larger storage."""
    found = inspect(answer.file, step.file_name)
    return any(each.is_view_of_more for each in found.tensors)
