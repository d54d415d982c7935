"""A program that makes a network twice from one seed, and compares."""

from playground.lessons.lazy_layers.records import CompareSeeds, Recipe
from playground.lessons.lazy_layers.source.networks import called, drawn, imports, making
from playground.modules.spec import Network

BACKWARDS = """\
output = {output}
hidden = {hidden}
net = nn.Sequential(hidden, nn.ReLU(), output)"""
SIZES = {"output": "nn.Linear(256, 10)", "hidden": "nn.Linear(20, 256)"}
LAZY = {"output": "nn.LazyLinear(10)", "hidden": "nn.LazyLinear(256)"}


def compare_seeds(settings: CompareSeeds) -> str:
    """Make it with its sizes and without, feed both, and compare the parameters."""
    eager, lazy = settings.eager, settings.lazy
    head = imports(eager)
    gap = "\n\n" if "\nclass " in head else ""
    batch = drawn(eager)
    made = [making(eager), making(lazy)]
    if settings.recipe is Recipe.BACKWARDS:
        made = [BACKWARDS.format(**SIZES), BACKWARDS.format(**LAZY)]
    first = "" if settings.recipe is Recipe.BATCH else f"\n{batch}  # before the seed is set\n"
    blocks = [_block(settings, each, eager) for each in made]
    return f"""\
{head}{gap}
{first}
{blocks[0]}
eager = dict(net.named_parameters())

{blocks[1]}
lazy = dict(net.named_parameters())

result = {{name: torch.equal(eager[name], lazy[name]) for name in eager}}
"""


def _block(settings: CompareSeeds, made: str, network: Network) -> str:
    batch = f"{drawn(network)}\n" if settings.recipe is Recipe.BATCH else ""
    return f"torch.manual_seed({settings.seed})\n{made}\n{batch}{called(network)}"
