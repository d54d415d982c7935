"""Support of the tests of traces: a module that calls a function, and a module's state."""

import random

import numpy as np
import torch
from torch import nn

from playground.modules.trace import trace_call


class Calls(nn.Module):
    """Calls a function instead of a method of its own."""

    def __init__(self, forward, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)
        self.function = forward

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def paths(trace):
    return [row.path for row in trace.rows]


def bits(tensor):
    """The bytes of a tensor's values: nan equals itself, and -0.0 differs from 0.0."""
    if tensor.is_meta or nn.parameter.is_lazy(tensor):
        return None
    return tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes()


def state_of(module):
    """Everything that a trace must leave as it was, as a value to compare."""
    modules = list(module.modules())
    tensors = [
        (name, each)
        for one in modules
        for register in (one._parameters, one._buffers)
        for name, each in register.items()
        if each is not None
    ]
    return {
        "modules": [(id(one), type(one), one.training) for one in modules],
        "attributes": [[(name, id(each)) for name, each in vars(one).items()] for one in modules],
        "dicts": [  # registers and hooks
            (name, [(key, id(value)) for key, value in held.items()])
            for one in modules
            for name, held in vars(one).items()
            if isinstance(held, dict)
        ],
        "tensors": [
            (name, id(each), type(each), each.requires_grad, each.device, bits(each))
            for name, each in tensors
        ],
        "memory": [each.data_ptr() for _, each in tensors if not nn.parameter.is_lazy(each)],
        "gradients": [
            (id(each.grad), None if each.grad is None else bits(each.grad))
            for _, each in tensors
            if each.is_leaf
        ],
        "random": (torch.get_rng_state().tolist(), random.getstate()),
        "numpy": [str(each) for each in np.random.get_state()],
        "torch": (
            nn.Module.__call__,
            nn.Module._call_impl,
            torch.is_grad_enabled(),
            torch.backends.mha.get_fastpath_enabled(),
            list(nn.modules.module._global_forward_hooks),
            list(nn.modules.module._global_forward_pre_hooks),
        ),
    }


def trace_leaves_as_it_was(net, *args, **options):
    """The trace of a call, after which everything is as before it."""
    before = state_of(net)
    trace = trace_call(net, args, **options)
    assert state_of(net) == before
    return trace
