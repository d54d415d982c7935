"""Networks of layers of our own."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.modules.trace_case import in_zoo


class MyLinear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs))
        self.bias = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        return F.relu(x @ self.weight + self.bias)


@in_zoo
def my_linear():
    return nn.Sequential(MyLinear(6, 4), MyLinear(4, 2)), torch.rand(3, 6)


class Centered(nn.Module):
    def forward(self, x):
        return x - x.mean()


@in_zoo
def centered():
    return nn.Sequential(nn.Linear(8, 16), Centered()), torch.rand(4, 8)
