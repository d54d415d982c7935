"""Every lazy layer of torch.nn: what its first batch decides, found by feeding it."""

from functools import cache

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from playground.compute.outcome import Outcome
from playground.errors import InvalidSettingError
from playground.lessons.lazy_layers.experiment.answering import tried
from playground.lessons.lazy_layers.records import (
    DecidedTensor,
    FeedLazyLayer,
    FeedLazyLayerReport,
    LazyKind,
    ListLazyLayers,
    ListLazyLayersReport,
    Shape,
)
from playground.modules import catalogue
from playground.modules.catalogue.classes import is_lazy as is_lazy_class
from playground.modules.catalogue.classes import layer_classes
from playground.modules.layer_types import LayerType
from playground.modules.source import as_sequential
from playground.modules.spec import Layer


def list_lazy_layers(settings: ListLazyLayers) -> ListLazyLayersReport:
    """Look through torch.nn."""
    del settings
    return ListLazyLayersReport(names=_names())


def feed_lazy_layer(settings: FeedLazyLayer) -> FeedLazyLayerReport:
    """Feed the chosen layer, and let every other one have a batch that fits it.

    Raises:
        InvalidSettingError: torch.nn has no such layer.
    """
    if settings.layer not in _names():
        allowed = ", ".join(_names())
        raise InvalidSettingError("choice", field="layer", given=settings.layer, allowed=allowed)
    kind, outcome = _fed(catalogue.layer(settings.layer), settings.batch)
    return FeedLazyLayerReport(outcome=outcome, kind=kind, every=_every())


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(each.__name__ for each in layer_classes() if is_lazy_class(each)))


@cache
def _every() -> tuple[LazyKind, ...]:
    layers = [catalogue.layer(name) for name in _names()]
    return tuple(_fed(each, _batch_for(each))[0] for each in layers)


def _batch_for(layer: LayerType) -> Shape:
    """As many dimensions as its example has, and no two of one size."""
    return FeedLazyLayer.SIZES[: len(layer.example_inputs[0].shape)]


def _fed(layer: LayerType, batch: Shape) -> tuple[LazyKind, Outcome]:
    """Feed it one batch; then others, each larger in one size, to see what that changes."""
    module = _made(layer)
    numbers, waiting = _numbers(module), _shapes(module)
    _, outcome = tried(lambda: module(torch.ones(batch)))
    found = {name: value for name, value in _numbers(module).items() if value != numbers[name]}
    attribute, value = next(iter(found.items()), ("", 0))
    shapes = _shapes(module)
    dimension = None
    grown: dict[str, Shape | None] = shapes
    for place in range(len(batch) if attribute else 0):
        twin = _made(layer)
        larger = tuple(size + (place == index) for index, size in enumerate(batch))
        tried(lambda twin=twin, larger=larger: twin(torch.ones(larger)))  # type: ignore[misc]
        if getattr(twin, attribute) != value:
            dimension, grown = place, _shapes(twin)
    kind = LazyKind(
        name=layer.name,
        becomes=type(module).__name__,
        call=_call(layer),
        attribute=attribute,
        value=value,
        batch=batch,
        dimension=dimension,
        tensors=tuple(
            DecidedTensor(
                name=name,
                was_waiting=waiting[name] is None,
                shape=shape,
                decided=_places(shape, grown[name]),
            )
            for name, shape in shapes.items()
        ),
    )
    return kind, outcome


def _made(layer: LayerType) -> nn.Module:
    module: nn.Module = getattr(nn, layer.name)(**dict(layer.example_arguments))
    return module


def _call(layer: LayerType) -> str:
    """The line that makes it, as a program writes it."""
    text = as_sequential(Layer(layer.name, layer.example_arguments))
    return " ".join(text.partition("net = ")[2].split())


def _numbers(module: nn.Module) -> dict[str, int]:
    """The layer's own settings that are whole numbers."""
    return {
        name: value
        for name, value in vars(module).items()
        if type(value) is int and not name.startswith("_")
    }


def _shapes(module: nn.Module) -> dict[str, Shape | None]:
    """The shapes of its parameters and buffers; None where there is none yet."""
    own: dict[str, Tensor] = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {name: None if is_lazy(each) else tuple(each.shape) for name, each in own.items()}


def _places(shape: Shape | None, larger: Shape | None) -> Shape:
    if shape is None or larger is None:
        return ()
    return tuple(index for index, size in enumerate(shape) if size != larger[index])
