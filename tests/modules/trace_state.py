"""Everything that a trace must leave as it was, taken from a module as a value to compare."""

import random

import numpy as np
import torch
from torch import nn

HOOKS = (
    *("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"),
    *("_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs"),
    *("_forward_hooks_always_called", "_state_dict_hooks", "_load_state_dict_pre_hooks"),
)


def bits(tensor):
    """The bytes of a tensor's values: nan equals itself, and -0.0 differs from 0.0."""
    if tensor.is_meta or nn.parameter.is_lazy(tensor):
        return None
    return tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes()


def state_of(module):
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
        "hooks": [[list(vars(one)[name]) for name in HOOKS] for one in modules],
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
