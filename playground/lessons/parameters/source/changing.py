"""Programs that do something to a network: feed it, freeze a part of it, set a value."""

from playground.lessons.parameters.records import (
    FeedNetwork,
    FreezeByName,
    Freezing,
    Setting,
    SetValue,
    index_path,
    variable_of,
)
from playground.lessons.parameters.source.beginning import beginning, call_of
from playground.modules.source.program import input_names
from playground.modules.spec.network import InputKind


def feed_network(settings: FeedNetwork) -> str:
    """Different inputs through a network at its first values."""
    network = settings.spec
    text = beginning(network, settings.seed, is_called=False)
    if settings.scale != 1:
        names = input_names(len(network.input))
        for name, one in zip(names, network.input, strict=True):
            if one.kind is not InputKind.TOKENS:
                text += f"{name} = {name} * {settings.scale}\n"
    return f"""\
{text}Y = {call_of(network)}
print(Y)

result = Y.flatten(1).std(dim=0).mean().item()
"""


def freeze_by_name(settings: FreezeByName) -> str:
    """Freeze by name, count, and take a step."""
    network = settings.spec
    net = variable_of(network)
    backward = f"{call_of(network)}.sum().backward()\n"
    is_before = settings.freezing is Freezing.BEFORE
    return f"""\
from fnmatch import fnmatchcase

{beginning(network, settings.seed)}
{"" if is_before else "Y.sum().backward()" + chr(10)}\
for name, parameter in {net}.named_parameters():
    if fnmatchcase(name, {_quoted(settings.pattern)}):
        parameter.requires_grad_(False)
{backward if is_before else ""}
numbers = sum(p.numel() for p in {net}.parameters())
trainable = sum(p.numel() for p in {net}.parameters() if p.requires_grad)
size_bytes = sum(p.numel() * p.element_size() for p in {net}.parameters())
print(numbers, trainable, size_bytes)

optimizer = torch.optim.SGD({settings.given.written(net)}, lr=0.1)
before = {{name: p.detach().clone() for name, p in {net}.named_parameters()}}
optimizer.step()
changed = [name for name, p in {net}.named_parameters() if not torch.equal(p, before[name])]

result = (numbers, trainable, size_bytes, changed)
"""


def set_value(settings: SetValue) -> str:
    """Set a value by hand, then go back."""
    network = settings.spec
    net = variable_of(network)
    code = index_path(network, settings.path, net)
    name = settings.path.rpartition(".")[2]
    lines = "\n".join(settings.lines)
    is_between = settings.setting is Setting.BETWEEN
    call = "" if is_between else f"Y = {call_of(network)}\n"
    return f"""\
{beginning(network, settings.seed)}
{name} = {code}
{lines}
print({name})

{call}Y.sum().backward()
grads = {{name: p.grad for name, p in {net}.named_parameters()}}

result = ({name}.tolist(), {{n: None if g is None else g.tolist() for n, g in grads.items()}})
"""


def _quoted(text: str) -> str:
    quoted = repr(text)
    return quoted if '"' in text else f'"{quoted[1:-1]}"'
