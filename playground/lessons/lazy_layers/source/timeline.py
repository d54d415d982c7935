"""A program that watches a network find its shapes."""

from playground.lessons.lazy_layers.records import Batch, LazyTimeline
from playground.lessons.lazy_layers.source.networks import called, drawn, names, program, reached
from playground.modules.spec import InputKind
from playground.modules.spec.lazy import lazy_paths

INSIDE = """\

def look_inside(*_):
    handle.remove()
    look()


handle = layers[0].register_forward_pre_hook(look_inside)  # called when it has its shape
"""


def lazy_timeline(settings: LazyTimeline) -> str:
    """Make, move and feed the network, and print its lazy layers at each stop."""
    network = settings.lazy
    network_layers = lazy_paths(network)
    layers = ",\n".join(f"    {reached(path)}" for path in network_layers)
    layers = f"[\n{layers},\n]" if layers else "[]"
    inputs = []
    for name, one in zip(names(network), network.input, strict=True):
        other = "float" if one.kind is InputKind.TOKENS else "long"
        wrong = f".{other}()" if settings.batch is Batch.WRONG_TYPE else ""
        inputs.append(f'{name} = {name}{wrong}.to("{settings.device}")')
    moved = "\n".join(inputs)
    inside = INSIDE if network_layers else ""
    return f"""\
{program(network, settings.seed)}
layers = {layers}
stops = []


def look(*_):
    kinds = [type(layer).__name__ for layer in layers]
    print(kinds)
    stops.append(kinds)


look()  # constructed
net.to("{settings.device}")
look()  # moved; no shapes yet

{inside}{drawn(network)}
{moved}
Y = {called(network)}
look()  # materialised
for name, parameter in net.named_parameters():
    print(name, tuple(parameter.shape), parameter.device)

result = stops
"""
