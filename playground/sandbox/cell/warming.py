"""Cells that the zygote runs once before any student's, since a child can import nothing."""

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
"""What cells usually do, as little of it as will do: a child does it before the student's comes."""

CELLS = (
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
    "import matplotlib.pyplot as plt\nplt.plot([1, 2])\n",
    "def fails(n):\n    return fails(n + 1)\n\n\nfails(0)\n",
    "import torch\ntorch.ones(2) @ torch.ones(3)\n",
    """
import pickletools
import zipfile

with zipfile.ZipFile("x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("x", "N.")
with zipfile.ZipFile("x.zip") as archive:
    [step.name for step, *rest in pickletools.genops(archive.read("x"))]
""",
    "import torch\ntorch.ones(10**15)\n",
    "import torch\ntorch.ones(2).cuda()\n",
    "import torch\ntorch.ones(2).cuda() + torch.ones(2)\n",
    "import torch\nfrom torch import nn\nnn.Linear(2, 3).cuda()(torch.ones(1, 2))\n",
    "x = (\n",
    "1 / 0\n",
)
