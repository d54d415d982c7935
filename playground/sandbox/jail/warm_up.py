"""The warm-up of torch in the zygote, since a child can import nothing; loads torch.

All that torch imports at its first use is imported here: a child that needs more meets
"Operation not permitted". It never asks for CUDA.
"""

import ast
import codecs
import encodings
import io
import pkgutil
import traceback
import warnings
from contextlib import suppress

import numpy
import torch
import torch._dynamo  # optimizers import it at their first step
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from playground.machines.simulated import simulated_gpus
from playground.modules import catalogue
from playground.modules.trace import trace_forward

_done: list[bool] = []


def warm_up() -> None:
    """Use once all that a run may use; a second call does nothing."""
    if _done:
        return
    _done.append(True)
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for steps in (_layers, _optimizers, _mathematics, _files, _errors, _simulated_gpus):
            steps()


def _layers() -> None:
    """Make and print every layer of torch.nn; call and trace some."""
    for layer in catalogue.layers():
        repr(layer)
    net = nn.TransformerEncoderLayer(4, 2)
    repr(net)
    trace_forward(net, torch.ones(2, 3, 4))
    for module in (nn.LSTM(4, 4), nn.GRU(4, 4), nn.RNN(4, 4)):
        module(torch.ones(2, 3, 4))[0].sum().backward()
    nn.MultiheadAttention(4, 2)(*[torch.ones(2, 3, 4)] * 3)[0].sum().backward()
    nn.Conv2d(1, 2, 3)(torch.ones(1, 1, 8, 8)).sum().backward()


def _optimizers() -> None:
    for name in dir(torch.optim):
        kind = getattr(torch.optim, name)
        if not isinstance(kind, type) or name in ("Optimizer", "LBFGS", "SparseAdam"):
            continue
        net = nn.Linear(3, 2, bias=False)
        net(torch.ones(1, 3)).sum().backward()
        optimizer = kind(net.parameters(), lr=0.1)
        optimizer.step()
        optimizer.zero_grad()
        optimizer.load_state_dict(optimizer.state_dict())
        torch.optim.lr_scheduler.StepLR(optimizer, 1).step()
        repr(optimizer)


def _mathematics() -> None:
    square = torch.rand(3, 3)
    torch.linalg.qr(square)
    torch.linalg.svd(square)
    torch.linalg.inv(square + 3 * torch.eye(3))
    torch.einsum("ij,jk->ik", square, square)
    torch.fft.fft(square)
    torch.vmap(torch.sum)(square)
    torch.func.grad(torch.sum)(square)
    torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))
    numpy.linalg.svd(square.numpy())
    str(numpy.random.default_rng(0).normal(size=3))
    for dtype in (torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.complex64):
        repr(square.to(dtype))
    next(iter(DataLoader(TensorDataset(square), batch_size=2, shuffle=True)))


def _files() -> None:
    file = io.BytesIO()
    torch.save(nn.Linear(2, 2).state_dict(), file)
    file.seek(0)
    torch.load(file, weights_only=True, map_location="cpu")
    for encoding in pkgutil.iter_modules(encodings.__path__):
        with suppress(LookupError):  # those that only Windows has
            codecs.lookup(encoding.name)


def _errors() -> None:
    "ü.example".encode("idna")
    with warnings.catch_warnings(record=True):
        warnings.warn("warmed", stacklevel=1)
    try:
        torch.ones(2, 3) @ torch.ones(2, 3)
    except RuntimeError:
        traceback.format_exc()
    ast.unparse(ast.parse("timer"))  # Python 3.14 imports it at the first call


def _simulated_gpus() -> None:
    with simulated_gpus(2, 8):
        net = nn.Linear(2, 2).to("cuda:0")
        loss = net(torch.ones(1, 2, device="cuda")).sum()
        loss.backward()
        torch.optim.Adam(net.parameters()).step()
        repr(loss.to("cuda:1"))
        torch.cuda.memory_allocated()
