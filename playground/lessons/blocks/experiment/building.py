"""Builds the network of the builder, and follows a batch through it."""

from collections.abc import Iterator

from torch import nn
from torch.nn.parameter import is_lazy

from playground.lessons.blocks.records import (
    BuildNetwork,
    BuildNetworkReport,
    ListLayers,
    ListLayersReport,
)
from playground.lessons.blocks.records.building import ModuleRow
from playground.modules import catalogue
from playground.modules.build import build, draw_inputs
from playground.modules.build.known import CUSTOM
from playground.modules.catalogue.signatures import arguments_of
from playground.modules.catalogue.summaries import summary_of
from playground.modules.layer_types import Group, LayerType
from playground.modules.trace import trace_forward

FEATURES = 20  # what the blocks of these lessons take, where they take any


def list_layers(settings: ListLayers) -> ListLayersReport:
    """All of torch.nn, and what the lessons have written themselves."""
    del settings
    return ListLayersReport(layers=(*catalogue.layers(), *map(_own_layer, CUSTOM)))


def build_network(settings: BuildNetwork) -> BuildNetworkReport:
    """Build it as the program does, draw a batch, and trace it.

    Raises:
        InvalidSpecError: It cannot be built, or is too large.
    """
    network = settings.spec
    net = build(network, settings.seed)
    batch = draw_inputs(network.input)
    modules = tuple(_modules(net))
    return BuildNetworkReport(network=network, trace=trace_forward(net, *batch), modules=modules)


def _own_layer(kind: type[nn.Module]) -> LayerType:
    """A block of these lessons: what it takes is read from it, as of torch's own layers."""
    arguments = arguments_of(kind)
    return LayerType(
        name=kind.__name__,
        group=Group.CUSTOM,
        summary=summary_of(kind),
        arguments=arguments,
        example_arguments=tuple((each.name, FEATURES) for each in arguments if each.is_required),
        is_chainable=True,
    )


def _modules(net: nn.Module) -> Iterator[ModuleRow]:
    met: dict[nn.Module, str] = {}
    for path, module in net.named_modules(remove_duplicate=False):
        own = list(module.parameters(recurse=False))
        has_shapes = not any(map(is_lazy, own))
        yield ModuleRow(
            path=path,
            type_name=type(module).__name__,
            own_parameters=sum(each.numel() for each in own) if has_shapes else None,
            same_as=met.get(module, ""),
        )
        met.setdefault(module, path)
