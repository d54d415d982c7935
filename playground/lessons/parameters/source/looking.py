"""Programs that look at parameters, and change nothing."""

from playground.lessons.parameters.records import (
    KeepState,
    NameParameters,
    OpenLayer,
    ReachParameter,
    index_path,
    variable_of,
)
from playground.lessons.parameters.source.beginning import beginning, call_of


def open_layer(settings: OpenLayer) -> str:
    """One layer: its state_dict, a parameter's type, values and gradient."""
    network = settings.spec
    net = variable_of(network)
    path, _, attribute = settings.path.rpartition(".")
    layer = index_path(network, path, net)
    lines = "".join(
        f"{line.format(call=call_of(network), net=net)}\n" for line in settings.moment.lines
    )
    return f"""\
{beginning(network, settings.seed)}
layer = {layer}
print(layer.state_dict())
print(type(layer.{attribute}))
print(layer.{attribute}.data)

{lines}grad = layer.{attribute}.grad

result = None if grad is None else grad.tolist()
"""


def name_parameters(settings: NameParameters) -> str:
    """Names and shapes of all parameters of a network, or of a part."""
    return f"""\
{beginning(settings.spec, settings.seed)}
for name, parameter in {settings.code}.named_parameters():
    print(name, tuple(parameter.shape))

result = [(name, tuple(p.shape)) for name, p in {settings.code}.named_parameters()]
"""


def keep_state(settings: KeepState) -> str:
    """What the state_dict has of a network that was given one more tensor."""
    network = settings.spec
    net = variable_of(network)
    return f"""\
{beginning(network, settings.seed)}
{settings.keeping.line(net)}

state = {net}.state_dict()
for name, tensor in state.items():
    print(name, tuple(tensor.shape))

result = list(state)
"""


def reach_parameter(settings: ReachParameter) -> str:
    """One parameter, by its name and by its place."""
    network = settings.spec
    net = variable_of(network)
    return f"""\
{beginning(network, settings.seed)}
print({net})

parameter = {index_path(network, settings.path, net)}
print(parameter is {net}.get_parameter("{settings.path}"))
print({net}.state_dict()["{settings.path}"])

before = parameter.grad
Y.sum().backward()
after = parameter.grad

result = (tuple(parameter.shape), before, None if after is None else after.tolist())
"""
