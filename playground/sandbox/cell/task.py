"""The jail's task ``run_cell``, and the cells that warm it up.

The zygote runs ``CELLS`` once before any student's cell, since a child can import nothing. A
preforked child runs ``EVERYDAY`` once, so that the memory for it has been touched.
"""

import json
import signal
import sys
from collections.abc import Iterator
from typing import BinaryIO, NoReturn

from playground.machines import Machine
from playground.sandbox import facade, schema
from playground.sandbox.cell import namespace
from playground.sandbox.cell.executor import CappedStdout, CpuTimeUpError
from playground.sandbox.cell.run_cell import run_cell
from playground.sandbox.facade.torch_functions import fill_with_zeros
from playground.sandbox.jail.run_task import InParts
from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.run_request import RunRequest
from playground.sandbox.schema import JsonObject

EVERYDAY = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(2, 1, bias=False)

    def forward(self, X):
        return torch.relu(self.out(X))


net = Net()
net(torch.randn(1, 2)).pow(2).mean().backward()
print(net.out.weight.grad.shape)
net.out.weight
"""
"""A minimal everyday cell, which a child runs before the student's cell comes."""

CELLS = (
    """
import matplotlib.pyplot as plt
import numpy as np

fig, axes = plt.subplots(1, 2)
axes[0].plot([1, 2], "r--o", label="损失 loss")
axes[0].scatter([1, 2], [1, 2], c=[0, 1], cmap="tab10")
axes[0].set_title(r"$x_1^2$", fontweight="bold")
axes[0].legend()
fig.colorbar(axes[1].imshow(np.eye(3)), ax=axes[1])
fig.tight_layout()
plt.savefig("x.png")
plt.imread("x.png")
plt.show()
plt.semilogy([1, 10], linestyle=":")
plt.hist([1, 2])
plt.contourf(np.eye(3))
plt.grid()
plt.figure(layout="constrained").add_subplot(projection="3d").plot([1, 2], [1, 2], [1, 2])
""",
    "def fails(n):\n    return fails(n + 1)\n\n\nfails(0)\n",
    """
import pickletools
import zipfile

with zipfile.ZipFile("x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("x", "N.")
with zipfile.ZipFile("x.zip") as archive:
    [step.name for step, *rest in pickletools.genops(archive.read("x"))]
""",
    "x = (\n",
    "1 / 0\n",
    """
import datetime
import json
import torch
from d2l import torch as d2l
from torch import nn
from tqdm import tqdm

datetime.datetime.strptime("2026-11-24", "%Y-%m-%d").strftime("%c")
json.dumps([1])
help(nn.Linear)
__timeit__(lambda: 1)
"{0.shape}".format(torch.ones(1))
for X, y in tqdm(d2l.load_data_fashion_mnist(256)[1]):
    break


class Net(d2l.Classifier):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Flatten(), nn.LazyLinear(10))


class Data(d2l.FashionMNIST):
    def get_dataloader(self, train):
        return [(X, y)]


d2l.Trainer(max_epochs=1).fit(Net(), Data())
""",
)
ON_A_MACHINE = (  # with simulated GPUs, and without
    """
import copy
import io
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)
        self.out = nn.LazyLinear(4)

    def forward(self, X):
        return self.out(F.relu(self.norm(self.conv(X))).flatten(1))


net = Net()
X = torch.rand(2, 1, 8, 8)
y = torch.tensor([0, 1])
net(X)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
loss = nn.CrossEntropyLoss()(net(X), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()
print(net, loss, X[0, 0, :2], f"{loss.item():.3f}")
twin = copy.deepcopy(net)
net.state_dict()
net.apply(lambda module: None)
""",
    """
import torch
from torch import nn

rnn = nn.LSTM(4, 8, batch_first=True)
attention = nn.MultiheadAttention(8, 2, batch_first=True)
encoder = nn.TransformerEncoderLayer(8, 2, batch_first=True)
X, state = rnn(torch.rand(2, 3, 4))
X, weights = attention(X, X, X)
encoder(X).sum().backward()
torch.linalg.qr(torch.rand(3, 3))
torch.ones(2, dtype=torch.int64).float().std()
X
""",
    "import torch\ntorch.ones(2) @ torch.ones(3)\n",
    "import torch\ntorch.ones(10**15)\n",
    "import torch\ntorch.ones(2).cuda()\n",
    "import torch\ntorch.ones(2).cuda() + torch.ones(2)\n",
    "import torch\nfrom torch import nn\nnn.Linear(2, 3).cuda()(torch.ones(1, 2))\n",
)


def run_cell_task(arguments: JsonObject, data: BinaryIO, limits: Limits) -> InParts:
    """Run a cell.

    Args:
        arguments: A ``RunRequest``, as ``to_json`` wrote it.
        data: The file that the request names, if it names one.
        limits: Of the run.

    Yields:
        A ``CellAnswer``, as ``schema.write`` makes it, where a ``ModulesAnswer`` follows.

    Returns:
        A ``ModulesAnswer`` then; a ``CellAnswer`` where nothing was yielded.
    """
    if hasattr(signal, "SIGXCPU"):  # where the system limits computing time
        signal.signal(signal.SIGXCPU, _time_is_up)
    fill_with_zeros()
    request = RunRequest.from_json(arguments)
    stdout = CappedStdout(limits.output_bytes, sys.stdout.write)
    own_file = data.read(LIMITS.own_file_bytes) if request.own_file else b""
    parts = run_cell(request, stdout, limits, own_file=own_file)
    while True:
        try:
            yield schema.write(next(parts))
        except StopIteration as ended:
            last: JsonObject = schema.write(ended.value)
            return last


def warm_up() -> None:
    """Run cells once, so that nothing is left to be imported in a child."""
    facade.warm_up()
    for source in CELLS:
        _run_once(RunRequest(source=source, machine=Machine()))
    for source in (EVERYDAY, *ON_A_MACHINE):
        for gpus in (0, 2):
            _run_once(RunRequest(source=source, machine=Machine(gpus=gpus)))
    namespace.prepare(2)  # a child runs EVERYDAY and one cell


def warm_up_child() -> Iterator[None]:
    """Run an everyday cell in a preforked child, so that its memory has been touched."""
    _run_once(RunRequest(source=EVERYDAY, machine=Machine()))
    yield


def _run_once(request: RunRequest) -> None:
    parts = run_cell(request, CappedStdout(LIMITS.output_bytes), LIMITS)
    while True:
        try:
            json.dumps(schema.write(next(parts)))
        except StopIteration as ended:
            json.dumps(schema.write(ended.value))
            return


def _time_is_up(*_: object) -> NoReturn:
    raise CpuTimeUpError
