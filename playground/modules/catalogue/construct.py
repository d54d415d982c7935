"""Building one layer from plain values, where a value may itself describe a layer."""

from collections.abc import Iterable
from typing import Any

from torch import nn

from playground.modules.layer_types import Value

Pairs = tuple[tuple[str, Value], ...]


def construct(module_class: type[nn.Module], pairs: Iterable[tuple[str, Value]]) -> nn.Module:
    """Build a layer with named arguments.

    >>> inner = ("TransformerEncoderLayer", (("d_model", 8), ("nhead", 2), ("batch_first", True)))
    >>> len(construct(nn.TransformerEncoder, [("encoder_layer", inner), ("num_layers", 3)]).layers)
    3
    """
    return module_class(**{name: _given(value) for name, value in pairs})


def _given(value: Value) -> Any:
    if isinstance(value, tuple) and len(value) == 2:
        name, pairs = value
        if isinstance(name, str) and isinstance(pairs, tuple):
            return construct(getattr(nn, name), pairs)  # type: ignore[arg-type]
    return value
