"""A file of one network, loaded into another, as one program."""

from playground.lessons.save_and_load.records import CompareKeys
from playground.lessons.save_and_load.records.networks import has_lazy
from playground.modules.source import as_sequential
from playground.modules.spec import Network

FROM_TORCH = "from torch import "
SPACE = "\n\n\n"  # between a program's classes


def compare_keys(settings: CompareKeys) -> str:
    """Save the one network, build the other, load."""
    heads, bodies = zip(
        _parts(settings.saved, 0, run=has_lazy(settings.saved)),
        _parts(settings.given, 1, run=False),
        strict=True,
    )
    strict = "" if settings.is_strict else ", strict=False"
    saved, given = bodies
    other = given.replace("\nnet = ", "\nother = ")
    return f"""\
{_merged(*heads)}{saved}
torch.save(net.state_dict(), "net.params")

{other}
state = torch.load("net.params")
returned = other.load_state_dict(state{strict})
print(returned)

result = (returned.missing_keys, returned.unexpected_keys)
"""


def _parts(network: Network, seed: int, *, run: bool) -> tuple[str, str]:
    """What stands before the network is made, imports and classes; and the lines that make it."""
    text = as_sequential(network, seed=seed, run=run)
    start = f"torch.manual_seed({seed})\n"
    head, _, body = text.partition(start)
    return head, f"{start}{body.rstrip()}"


def _merged(one: str, other: str) -> str:
    """The imports and the classes of two programs, each once."""
    imports: dict[str, None] = {}
    classes: dict[str, None] = {}
    for head in (one, other):
        first, *rest = head.rstrip().split(SPACE)
        imports |= dict.fromkeys(line for line in first.split("\n") if line)
        classes |= dict.fromkeys(rest)
    names = {
        name
        for line in imports
        if line.startswith(FROM_TORCH)
        for name in line.removeprefix(FROM_TORCH).split(", ")
    }
    plain = [line for line in imports if not line.startswith(FROM_TORCH)]
    groups = (
        sorted(line for line in plain if "torch" not in line),
        [
            *sorted(line for line in plain if line.startswith("import torch")),
            f"{FROM_TORCH}{', '.join(sorted(names))}",
            *sorted(line for line in plain if line.startswith("from torch.")),
        ],
    )
    text = "\n\n".join("\n".join(group) for group in groups if group)
    gap = SPACE if classes else "\n\n"
    return SPACE.join((text, *classes)) + gap
