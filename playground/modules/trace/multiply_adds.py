"""Counts the multiply-adds of one call of a layer, by its own parameters.

The convention is torchinfo's: each use of a weight and each use of a bias is one, for the whole
batch; products of two activations, as attention has them, activation functions and pooling count
nothing. torchinfo takes the first size of the output for the number of uses, which is right for
``Linear`` on a matrix, not for longer shapes; here the uses are counted for each kind of layer.
"""

import math
from collections.abc import Mapping

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd

from playground.modules.trace.recorder import Call
from playground.modules.trace_types import Shape, shapes_in

LOOKUPS = (nn.Embedding, nn.EmbeddingBag)
EVERYWHERE = (_NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm, nn.PReLU)


def multiply_adds(call: Call, own: Mapping[str, torch.Tensor]) -> int | None:
    """Count one call.

    Args:
        call: A call that was noted.
        own: The initialised parameters that the module itself holds.

    Returns:
        None where the layer's class is not known, or where the call did not return.
    """
    if not own and not (call.module.__dict__.get("_modules") or _is_opaque(call.module)):
        return 0
    given = next(shapes_in(call.inputs), None)
    made = next(shapes_in(call.output), None)
    if given and made:
        known = _of_known(call, own, given, made)
        if known is not None:
            return known
    return None if own or _is_opaque(call.module) else 0


def _is_opaque(module: nn.Module) -> bool:
    is_quantised = type(module).__module__.startswith("torch.ao.")
    return is_quantised or isinstance(module, torch.jit.ScriptModule)


def _of_known(call: Call, own: Mapping[str, torch.Tensor], given: Shape, made: Shape) -> int | None:
    """Count by a layer's arguments, which pruning and parametrizations do not change."""
    module = call.module
    rows = math.prod(made[:-1])
    match module:
        case nn.Linear():
            return rows * module.out_features * (module.in_features + _has(module, "bias"))
        case nn.Bilinear():
            pairs = module.in1_features * module.in2_features
            return rows * module.out_features * (pairs + _has(module, "bias"))
        case _ConvNd():
            return _convolution(module, given, made)
        case nn.RNNBase():
            return rows * sum(each.numel() for each in own.values())
        case nn.RNNCellBase():
            return rows * sum(each.numel() for each in own.values())
        case nn.MultiheadAttention():
            return _attention(module, call)
    if isinstance(module, LOOKUPS):
        return 0
    if isinstance(module, EVERYWHERE):  # each element meets one weight, and one bias
        return math.prod(made) * (_has(module, "weight") + _has(module, "bias"))
    if _is_matrix_product(own, given, made):
        return rows * sum(each.numel() for each in own.values())
    return None


def _has(module: nn.Module, name: str) -> bool:
    """Return whether a layer has a weight or a bias, in a parametrization or pruned too."""
    held = module.__dict__.get("_parameters") or {}
    if held.get(name) is not None:
        return True
    if any(held.get(each) is not None for each in (f"{name}_orig", f"{name}_v")):
        return True
    parametrized = (module.__dict__.get("_modules") or {}).get("parametrizations")
    return parametrized is not None and name in parametrized


def _convolution(module: _ConvNd, given: Shape, made: Shape) -> int:
    dims = len(module.kernel_size)
    images = math.prod(made[: -dims - 1])  # 1 where there is no batch
    weight = module.in_channels * module.out_channels // module.groups
    weight *= math.prod(module.kernel_size)
    around = given if isinstance(module, _ConvTransposeNd) else made  # who meets every weight
    bias = module.out_channels * _has(module, "bias")
    return images * (weight * math.prod(around[-dims:]) + bias * math.prod(made[-dims:]))


def _attention(module: nn.MultiheadAttention, call: Call) -> int | None:
    """Count the projections of queries, keys, values and output; ``out_proj`` is never called."""
    shapes = list(shapes_in(call.inputs))
    if len(shapes) < 3:
        return None
    queries, keys, values = (math.prod(shape[:-1]) for shape in shapes[:3])
    width: int = module.embed_dim
    bias = width * (module.in_proj_bias is not None)
    inside: int = (
        queries * width * width + keys * width * module.kdim + values * width * module.vdim
    )
    out_bias = width * (module.out_proj.bias is not None)
    return inside + (queries + keys + values) * bias + queries * (width * width + out_bias)


def _is_matrix_product(own: Mapping[str, torch.Tensor], given: Shape, made: Shape) -> bool:
    """Return whether a custom class is shaped like ``Linear``, transposed or not."""
    if not set(own) <= {"weight", "bias"} or "weight" not in own:
        return False
    ends, bias = (given[-1], made[-1]), own.get("bias")
    fits = tuple(own["weight"].shape) in (ends, ends[::-1]) and given[:-1] == made[:-1]
    return fits and (bias is None or tuple(bias.shape) == (made[-1],))
