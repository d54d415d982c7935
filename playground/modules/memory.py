"""Bytes that training a network takes, by part; computed on the meta device, without memory."""

import warnings
from collections.abc import Sequence
from contextlib import suppress

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.parameter import is_lazy

from playground.errors import InvalidSettingError
from playground.modules.build import draw_inputs
from playground.modules.build.assemble import assembled, check_size
from playground.modules.build.known_layers import check_layers
from playground.modules.build.size import Answers
from playground.modules.spec.network import InputKind, InputSpec, Network, root_of
from playground.modules.workbench_types import Optimizer, TrainingMemory

DTYPES = ("float32", "float64", "float16", "bfloat16")
STEP_BYTES = 4  # an optimizer's step count is one float32 for each parameter


COPIES = {  # state tensors of the parameter's size, and whether there is a step count
    Optimizer.SGD: (0, False),
    Optimizer.MOMENTUM: (1, False),
    Optimizer.ADAM: (2, True),
    Optimizer.ADAMW: (2, True),
    Optimizer.RMSPROP: (1, True),
    Optimizer.ADAGRAD: (1, True),
}


def training_memory(
    spec: Network,
    batch: int | None = None,
    optimizer: str = "adam",
    dtype: str = "float32",
    *,
    built: nn.Module | None = None,
) -> TrainingMemory:
    """Compute the memory that training a network takes.

    A norm in half precision is counted with statistics in float32, as GPUs keep them.

    Args:
        spec: The network, with its inputs.
        batch: The first size of every input; None for that of the spec.
        optimizer: One of ``Optimizer``.
        dtype: Of parameters and float inputs: ``"float32"``, ``"float64"``, ``"float16"`` or
            ``"bfloat16"``.
        built: The network in float32. A small one that runs is called in less time than its twin on
            the meta device; its buffers change.

    Raises:
        InvalidSettingError: There is no such optimizer or dtype.
        InvalidSpecError: The network cannot be made, or is too large.

    >>> from playground.modules.spec.presets import MLP
    >>> training_memory(MLP, batch=32, optimizer="adam").parameters
    31784
    """
    kept = str(optimizer).lower()
    if kept not in list(Optimizer):
        raise InvalidSettingError(
            "choice", field="optimizer", given=optimizer, allowed=", ".join(Optimizer)
        )
    name = str(dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise InvalidSettingError("choice", field="dtype", given=name, allowed=", ".join(DTYPES))
    inputs = spec.input if batch is None else tuple(_with_batch(one, batch) for one in spec.input)
    root = root_of(spec)
    check_layers(root)
    check_size(root, inputs, repr(root), torch.get_default_dtype())
    if built is not None and batch is None and name == "float32":
        net, activations = built, _saved_bytes(built, draw_inputs(inputs))
    else:
        with torch.device("meta"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            net = assembled(root).to(getattr(torch, name))
            with Answers():
                activations = _saved_bytes(net, _empty(inputs, getattr(torch, name)))
    parameters = [each for each in net.parameters() if not is_lazy(each)]
    trained = [each for each in parameters if each.requires_grad]
    copies, has_step = COPIES[Optimizer(kept)]
    return TrainingMemory(
        parameters=_size(parameters),
        gradients=_size(trained),
        optimizer_state=copies * _size(trained) + has_step * STEP_BYTES * len(trained),
        activations=activations,
        buffers=_size([each for each in net.buffers() if not is_lazy(each)]),
    )


def _with_batch(one: InputSpec, batch: int) -> InputSpec:
    return InputSpec((batch, *one.shape[1:]), one.kind, one.below)


def _empty(inputs: tuple[InputSpec, ...], dtype: torch.dtype) -> list[Tensor]:
    return [
        torch.empty(one.shape, dtype=torch.int64 if one.kind is InputKind.TOKENS else dtype)
        for one in inputs
    ]


def _saved_bytes(net: nn.Module, given: Sequence[Tensor]) -> int:
    """Call the network, and add up what is saved for the backward pass, each storage once.

    Where the forward fails, up to there.
    """
    tensors = (*net.parameters(), *net.buffers())
    own = {each.untyped_storage()._cdata for each in tensors if not is_lazy(each)}
    kept: dict[int, Tensor] = {}  # the tensors live on, so that no storage takes the place of one

    def keep(tensor: Tensor) -> Tensor:
        kept.setdefault(tensor.untyped_storage()._cdata, tensor)
        return tensor

    saving = saved_tensors_hooks(keep, lambda tensor: tensor)
    failing = suppress(Exception)  # a forward may refuse in any way, as it does with memory
    with saving, failing:
        net(*given)
    return sum(each.untyped_storage().nbytes() for key, each in kept.items() if key not in own)


def _size(tensors: Sequence[Tensor]) -> int:
    return sum(each.numel() * each.element_size() for each in tensors)
