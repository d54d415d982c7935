"""Watching torch while it makes layers: which initialiser drew which parameter, and with what.

Nothing is known here about any layer. What torch calls is what is told.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from playground.modules.initialisers.catalogue import initialiser, initialisers
from playground.modules.layer_types import Value

# Methods and factories that are initialisers under other names, and their arguments in order.
OTHERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fill_": ("constant_", ("val",)),
    "zero_": ("zeros_", ()),
    "zeros": ("zeros_", ()),
    "ones": ("ones_", ()),
    "rand": ("uniform_", ()),
    "randn": ("normal_", ()),
}
COPIES = {"clone", "__deepcopy__"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """How a tensor got its values.

    Attributes:
        function: What torch called, e.g. ``"kaiming_uniform_"``, ``"randn"``.
        initializer: The initialiser that does the same.
        arguments: What it was given, beside the tensor.
    """

    function: str
    initializer: str
    arguments: tuple[tuple[str, Value], ...]


@dataclass
class Watch(TorchFunctionMode):
    """Notes, for every tensor, what filled it last."""

    _seen: list[tuple[Tensor, Drawn]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Become a mode; the notes hold the tensors, so that no address is used twice."""
        super().__init__()

    def of(self, tensor: Tensor) -> Drawn | None:
        """What filled a tensor last and wholly; None where nothing did that is known here."""
        for filled, drawn in reversed(self._seen):
            if filled.data_ptr() == tensor.data_ptr() and filled.shape == tensor.shape:
                return drawn
        return None

    def __torch_function__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Let torch do what it does, and note it if it fills a tensor."""
        given = dict(kwargs or {})
        result = func(*args, **given)
        name = getattr(func, "__name__", "")
        if not isinstance(result, Tensor) or result.is_meta or result.dtype.is_complex:
            return result
        if name in COPIES:
            source = next(each for each in tree_leaves((args, given)) if isinstance(each, Tensor))
            drawn = self.of(source)
        else:
            drawn = _drawn(name, args, given)
        if drawn is not None:
            self._seen.append((result.detach(), drawn))
        return result


def _drawn(name: str, args: Sequence[Any], given: Mapping[str, Any]) -> Drawn | None:
    known = {each.name for each in initialisers()}
    if name not in known and name not in OTHERS:
        return None
    same, order = OTHERS.get(name, (name, ()))
    arguments = initialiser(same).arguments
    order = order or tuple(each.name for each in arguments)
    rest = [each for each in args if not isinstance(each, Tensor)] if same in known else []
    is_factory = name in {"zeros", "ones", "rand", "randn"}
    placed = {} if is_factory else dict(zip(order, rest, strict=False))
    named = {key: value for key, value in given.items() if key in order}
    pairs = {**placed, **named}
    if not all(isinstance(value, bool | int | float | str) for value in pairs.values()):
        return None
    return Drawn(name, same, tuple(pairs.items()))


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch what fills tensors in the meantime.

    >>> from torch import nn
    >>> with watching() as watch:
    ...     layer = nn.Linear(3, 2)
    >>> watch.of(layer.weight).initializer, watch.of(layer.bias).initializer
    ('kaiming_uniform_', 'uniform_')
    """
    watch = Watch()
    with watch:
        yield watch
