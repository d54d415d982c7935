"""A file of any kind, and the careful way to look into it, as a program."""

from playground.lessons.save_and_load.records import MakeSample, Sample
from playground.lessons.save_and_load.source.hostile import COMMAND

NET = "net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))\n"
GOOD = f'{NET}torch.save(net.state_dict(), "weights.pt")'
ZIPPED = """
with zipfile.ZipFile("weights.pt") as plain:
    records = {name: plain.read(name) for name in plain.namelist()}
with zipfile.ZipFile("weights.pt", "w", zipfile.ZIP_DEFLATED) as packed:
    for name, data in records.items():
        packed.writestr(name, data)"""
CHECKPOINT = """\
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
net(torch.randn(2, 20)).sum().backward()
optimizer.step()
checkpoint = {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}
torch.save(checkpoint, "weights.pt")"""
TIED = """\
shared = nn.Linear(8, 8)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), shared, nn.ReLU(), shared, nn.Linear(8, 1))
torch.save(net.state_dict(), "weights.pt")"""
VIEW = """\
big = torch.arange(20000, dtype=torch.float32)
torch.save({"first": big[:2], "every_hundredth": big[::100]}, "weights.pt")"""
HTML = (
    'Path("weights.pt").write_text("<!DOCTYPE html>\\n<html><body>404: Not Found</body></html>\\n")'
)
MADE = {
    Sample.GOOD: GOOD,
    Sample.CHECKPOINT: NET + CHECKPOINT,
    Sample.SAFETENSORS: NET
    + 'save_file(net.state_dict(), "weights.safetensors", {"made by": "Torch Playground"})',
    Sample.CUDA: NET + 'torch.save(net.to("cuda:0").state_dict(), "weights.pt")',
    Sample.TIED: TIED,
    Sample.VIEW: VIEW,
    Sample.HOSTILE: COMMAND,
    Sample.MODULE: f'{NET}torch.save(net, "weights.pt")',
    Sample.RENAMED: NET
    + 'save_file(net.state_dict(), "weights.pt", {"made by": "Torch Playground"})',
    Sample.TRUNCATED: GOOD
    + '\ndata = Path("weights.pt").read_bytes()'
    + '\nPath("weights.pt").write_bytes(data[: len(data) // 2])',
    Sample.ZIPPED: GOOD + ZIPPED,
    Sample.HTML: HTML,
}


def make_sample(settings: MakeSample) -> str:
    """Make the file, and load it as a stranger's file should be loaded."""
    made = MADE[settings.sample]
    is_safe = "save_file" in made
    load = (
        f'load_file("{settings.sample.file_name}")'
        if is_safe
        else 'torch.load("weights.pt", map_location="cpu", weights_only=True)'
    )
    return f"""\
{_imports(made)}
torch.manual_seed(1)
{made}

loaded = {load}
tensors = dict(loaded.get("model", loaded))
for name, tensor in tensors.items():
    print(name, tuple(tensor.shape), tensor.dtype, tensor.device)

result = [(name, tuple(tensor.shape)) for name, tensor in tensors.items()]
"""


def _imports(made: str) -> str:
    """What the lines that make the file need, in the usual order."""
    standard = ["import zipfile"] if "zipfile." in made else []
    standard += ["from pathlib import Path"] if "Path(" in made else []
    foreign = ["import torch"]
    foreign += ["from safetensors.torch import load_file, save_file"] if "save_file" in made else []
    foreign += ["from torch import nn"] if "nn." in made else []
    return "\n".join([*standard, *([""] if standard else []), *foreign, ""])
