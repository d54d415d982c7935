"""Cost of an edit in the network builder: on the server, in a worker, and in bytes.

An edit of a network of 60 layers is handled as the page does it: the event, the analysis in this
process, the data for the script. Run it with ``python -m benchmarks.builder_cost``.
"""

import gzip
import itertools
import json
import statistics
import time
from pathlib import Path

from playground import compute
from playground.modules.spec import Block, InputSpec, Layer, Network
from ui.builder import actions, view
from ui.builder.history import EditHistory
from ui.builder.state import BuilderState

TURNS = 15
LAYERS = 60
ASSETS = Path(view.__file__).parent / "assets"


def sixty_layers() -> Network:
    """Linear layers and ReLU in turns."""
    pair = Layer.of("Linear", in_features=64, out_features=64), Layer("ReLU")
    return Network(Block(itertools.islice(itertools.cycle(pair), LAYERS)), InputSpec((2, 64)))


def measure(turns: int = TURNS) -> dict[str, float]:
    """Take all figures.

    Returns:
        The time of an edit with its analysis, the bytes that are sent then, and the script's bytes
        as they go over the wire.
    """
    with compute.running_inline():
        state = BuilderState(EditHistory([sixty_layers().to_json()]))
        state.layers()
        times = []
        for turn in range(turns + 1):
            started = time.perf_counter()
            value = str(turn % 2 == 1)
            event = {"type": "set", "address": [20], "argument": "bias", "value": value}
            actions.handle(state, event)
            data = view.builder_data(state, state.analyze())
            text = json.dumps(data)
            times.append(time.perf_counter() - started)
    script = sum(len(gzip.compress(each.read_bytes())) for each in ASSETS.glob("*.js"))
    return {
        "edit_of_60_layers_ms": statistics.median(times[1:]) * 1e3,  # the first finds caches cold
        "edit_of_60_layers_kb": len(text) / 1e3,
        "script_kb": script / 1e3,
    }


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:32}{value:10.3f}")


if __name__ == "__main__":
    main()
