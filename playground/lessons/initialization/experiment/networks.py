"""The parameters of a network, before and after it is made."""

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.errors import InvalidSettingError
from playground.lessons.initialization.records import Entry, ListParameters, ListParametersReport
from playground.modules.build.assemble import assembled
from playground.modules.build.known import check_layers
from playground.modules.build.size import measure
from playground.modules.initialiser_types import MOST_VALUES
from playground.modules.spec import Network
from playground.modules.spec.sharing import root_of


def list_parameters(settings: ListParameters) -> ListParametersReport:
    """List them, of a network on the meta device."""
    net = weightless(Network.from_json(settings.network))
    entries = tuple(
        Entry(path=path, type_name=type(owner_of(net, path)).__name__, shape=shape_of(parameter))
        for path, parameter in net.named_parameters()
    )
    return ListParametersReport(entries=entries)


def weightless(network: Network) -> nn.Module:
    """A network that takes no memory.

    Raises:
        InvalidSpecError: It cannot be made, or is too large.
    """
    root = root_of(network)
    check_layers(root)
    measure(lambda: assembled(root))
    with torch.device("meta"):
        return assembled(root)


def refuse_large(network: Network) -> None:
    """Refuse a network whose parameters are too many to be looked at one by one.

    Raises:
        InvalidSettingError: With key ``bounds``.
    """
    shapes = [shape_of(each) for each in weightless(network).parameters()]
    count = sum(torch.Size(shape).numel() for shape in shapes if shape is not None)
    if count > MOST_VALUES:
        raise InvalidSettingError("bounds", field="network", given=count, least=0, most=MOST_VALUES)


def owner_of(net: nn.Module, path: str) -> nn.Module:
    """The module that holds a parameter."""
    return net.get_submodule(path.rpartition(".")[0])


def shape_of(parameter: nn.Parameter) -> tuple[int, ...] | None:
    """Its shape; None where it has none yet."""
    return None if is_lazy(parameter) else tuple(parameter.shape)
