"""Every pair of layers on every input, and what pressing its first fix again and again leads to.

``python -m tests.modules.pairs_of_layers 3/40`` presses the fixes of the third of forty random
parts of all pairs, prints those that do not end in a network that runs, and exits with 1 if there
is one. All parts take half an hour of one core together.
"""

import itertools
import random
import sys
import warnings

from playground.modules.analysis import list_layers, traced
from playground.modules.fixes import fixes
from playground.modules.spec import Block, InputKind, InputSpec, Network
from ui.builder.actions import ready_made

MAX_PRESSES = 12
KNOWN = {each.name: each for each in list_layers()}
INPUTS = (
    InputSpec((2, 20)),
    InputSpec((2, 5, 16)),
    InputSpec((2, 3, 8, 8)),
    InputSpec((2, 6), InputKind.TOKENS, 30),
)
Pair = tuple[str, str, int]  # two layers, and the number of an input


def every_pair() -> list[Pair]:
    """Return all pairs with all inputs, shuffled: each part of them is a random sample."""
    names = sorted(KNOWN)
    pairs = list(itertools.product(names, names, range(len(INPUTS))))
    random.Random(0).shuffle(pairs)
    return pairs


def network_of_pair(pair: Pair) -> Network:
    """Return the network of two layers, as the builder puts them in."""
    first, second, place = pair
    return Network(Block([ready_made(KNOWN[first]), ready_made(KNOWN[second])]), INPUTS[place])


def pressed(network: Network) -> Network:
    """Press the first fix until the network runs, and fail if it never does."""
    seen: list[str] = []
    for _ in range(MAX_PRESSES):
        trace = traced(network)
        if trace.outcome.ok:
            return network
        found = fixes(network, trace, traced)
        assert found, f"no fix for {trace.outcome.message[:200]!r} of {network.to_json()}"
        assert found[0].network not in seen, f"in a circle: {network.to_json()}"
        seen.append(found[0].network)
        network = Network.from_json(found[0].network)
    raise AssertionError(f"{MAX_PRESSES} presses: {network.to_json()}")


def main(part: str) -> int:
    """Press the fixes of one part, such as ``3/40``."""
    warnings.simplefilter("ignore")
    number, _, parts = part.partition("/")
    pairs, count = every_pair()[int(number) - 1 :: int(parts)], 0
    for pair in pairs:
        try:
            pressed(network_of_pair(pair))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is what is looked for
            count += 1
            print(*pair, f"{type(error).__name__}: {error}", flush=True)
    print(f"{len(pairs)} pairs, {count} do not end in a network that runs")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
