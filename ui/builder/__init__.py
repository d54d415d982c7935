"""The builder: a network put together by hand, layer by layer, and what PyTorch makes of it.

The only place that knows the builder's session state. A page opens a bench, lets it run, and draws
its two sides::

    bench = open_bench(step, STARTS)
    report = bench.run(lambda network: compute.run(BuildNetwork(network=network)))
    show_controls(bench, layers, report.trace)
    show_outcome(bench, report.trace, …)
"""

from ui.builder.answer import show_details, show_outcome
from ui.builder.bench import Bench, open_bench
from ui.builder.controls import show_controls

__all__ = ["Bench", "open_bench", "show_controls", "show_details", "show_outcome"]
