"""Suggests a change that lets a failing layer accept its input; each is tried first."""

import inspect
import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.instancenorm import _InstanceNorm

from playground.modules.trace_types import Shape, Suggestion

RECURRENT = (
    *("input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout"),
    *("bidirectional", "proj_size"),  # the last for an LSTM only
)
CELL = ("input_size", "hidden_size", "bias", "nonlinearity")
PER_CHANNEL = {
    _NormBase: "num_features",
    nn.GroupNorm: "num_channels",
    nn.PReLU: "num_parameters",
}
Change = tuple[str, int | Shape]


def suggest(
    path: str, module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Suggestion | None:
    """Look for one change to one layer.

    Args:
        path: The layer's.
        module: The layer that raised.
        args: What it was given.
        kwargs: Likewise.

    Returns:
        A change with which the layer, constructed on the meta device, runs on such inputs; None
        where the class is not known, or nothing fits.
    """
    given = next((each for each in (*args, *kwargs.values()) if _tensor(each) is not None), None)
    tensor = _tensor(given)
    if tensor is None or tensor.dim() == 0:
        return None
    if _is_of_another_kind(module, tensor):
        return None
    name = type(module).__name__
    on_meta = tuple(_to_meta(each) for each in args)
    keywords = {key: _to_meta(each) for key, each in kwargs.items()}
    try:
        if _wants_flatten(module, tensor) and given is not None and args and args[0] is given:
            fresh = _constructed(module, {})
            if fresh is not None and _runs(fresh, (on_meta[0].flatten(1), *on_meta[1:]), keywords):
                return Suggestion(path=path, type_name=name, insert="Flatten")
        for argument, value in _changes(module, tensor, args):
            now = getattr(module, argument, None)
            fresh = _constructed(module, {argument: value})
            if now != value and fresh is not None and _runs(fresh, on_meta, keywords):
                return Suggestion(
                    path=path, type_name=name, argument=argument, value=value, given=_plain(now)
                )
    except Exception:  # noqa: BLE001 - a subclass may refuse in any way; then there is no advice
        return None
    return None


def _is_of_another_kind(module: nn.Module, given: torch.Tensor) -> bool:
    """Return whether the dtypes differ, so that no size helps; meta does not always check it."""
    if isinstance(module, nn.Embedding | nn.EmbeddingBag) or torch.is_autocast_enabled(
        given.device.type
    ):
        return False
    weight = next(module.parameters(), None)
    return weight is not None and weight.dtype != given.dtype


def _wants_flatten(module: nn.Module, given: torch.Tensor) -> bool:
    return (
        isinstance(module, nn.Linear)
        and given.dim() > 2
        and math.prod(given.shape[1:]) == module.in_features
    )


def _changes(module: nn.Module, given: torch.Tensor, args: tuple[Any, ...]) -> Iterator[Change]:
    """Yield arguments inferred from the input, the likeliest first."""
    last = given.shape[-1]
    match module:
        case nn.Linear():
            yield "in_features", last
        case nn.Bilinear() if len(args) == 2 and _tensor(args[1]) is not None:
            yield "in1_features", last
            yield "in2_features", args[1].shape[-1]
        case _ConvNd():
            dims = len(module.kernel_size)
            if given.dim() in (dims + 1, dims + 2):
                yield "in_channels", given.shape[-dims - 1]
        case nn.RNNBase() | nn.RNNCellBase():
            yield "input_size", last
        case nn.MultiheadAttention() if last % module.num_heads == 0:
            yield "embed_dim", last
        case nn.Embedding() | nn.EmbeddingBag():
            yield from _enough_rows(module, given)
        case _:
            yield from _norm(module, given)


def _norm(module: nn.Module, given: torch.Tensor) -> Iterator[Change]:
    if isinstance(module, nn.LayerNorm | nn.RMSNorm):
        yield "normalized_shape", tuple(given.shape[-len(module.normalized_shape) :])
    if isinstance(module, _InstanceNorm):
        no_batch: int = module._get_no_batch_dim()  # type: ignore[no-untyped-call]
        if given.dim() == no_batch:
            yield "num_features", given.shape[0]
            return
    for kind, argument in PER_CHANNEL.items():
        if isinstance(module, kind) and given.dim() > 1:
            yield argument, given.shape[1]


def _enough_rows(module: nn.Embedding | nn.EmbeddingBag, given: torch.Tensor) -> Iterator[Change]:
    if given.is_meta or given.is_floating_point() or not given.numel() or int(given.min()) < 0:
        return
    rows = int(given.max()) + 1
    if rows > module.num_embeddings:
        yield "num_embeddings", rows


def _constructed(module: nn.Module, changed: Mapping[str, object]) -> nn.Module | None:
    """Construct the layer again on the meta device, with other arguments."""
    kind = next((each for each in type(module).__mro__ if _is_torchs(each)), None)
    if kind is None:
        return None
    if issubclass(kind, nn.RNNBase):
        names: tuple[str, ...] = RECURRENT if issubclass(kind, nn.LSTM) else RECURRENT[:-1]
    elif issubclass(kind, nn.RNNCellBase):
        names = CELL
    else:
        names = tuple(inspect.signature(kind).parameters)
    held = {name: _argument(module, name) for name in names if hasattr(module, name)}
    weight = next(module.parameters(), None)
    held.update({"device": "meta", "dtype": None if weight is None else weight.dtype})
    if isinstance(module, nn.MultiheadAttention):
        held |= {"bias": module.in_proj_bias is not None, "add_bias_kv": module.bias_k is not None}
        held |= {
            name: None for name in ("kdim", "vdim") if getattr(module, name) == module.embed_dim
        }
    fresh: nn.Module = kind(**{**held, **changed})
    return fresh.train(module.training)


def _argument(module: nn.Module, name: str) -> object:
    held = getattr(module, name)
    is_switch = name == "bias" and not isinstance(held, bool)
    return held is not None if is_switch else held


def _is_torchs(kind: type) -> bool:
    return kind.__module__.startswith("torch.nn.modules.") and not kind.__name__.startswith("_Non")


def _runs(module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    try:
        module(*args, **kwargs)
    except Exception:  # noqa: BLE001 - whatever it is, this is not the change that is looked for
        return False
    return True


def _tensor(value: object) -> torch.Tensor | None:
    if isinstance(value, nn.utils.rnn.PackedSequence):
        return value.data
    return value if isinstance(value, torch.Tensor) else None


def _to_meta(value: Any) -> Any:
    if isinstance(value, nn.utils.rnn.PackedSequence):
        return value.data.to("meta")  # packed ones run on no meta device; all steps as one do
    if isinstance(value, torch.Tensor):
        return value.detach().to("meta")
    if isinstance(value, tuple):
        return tuple(_to_meta(each) for each in value)
    return value


def _plain(value: Any) -> int | Shape | None:
    return tuple(value) if isinstance(value, list | tuple) else value
