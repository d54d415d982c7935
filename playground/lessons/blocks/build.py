"""Step "build": a network built from any layers of torch.nn, and a batch traced through it."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from playground.compute.streaming import ignore_progress
from playground.errors import InvalidSettingError, InvalidSpecError
from playground.lessons.blocks.pictures import Node, nodes_of, tree, tree_text
from playground.modules.graph import layer_paths
from playground.modules.source import as_sequential
from playground.modules.spec import Block, BlockKind, Layer, Network, Shared, edit
from playground.modules.spec.addresses import address_of
from playground.modules.spec.link import from_link
from playground.modules.spec.nodes import type_of
from playground.modules.spec.presets import BUILDER_PRESETS
from playground.modules.trace_types import ForwardTrace, TraceRow
from playground.modules.trace_types import Group as Tuple
from playground.steps import (
    Answer,
    Labels,
    Line,
    Note,
    Picture,
    Step,
    Words,
    network_link,
    shown_if,
)

SEVERAL, NO_LAYER, OTHER = "several", "no_layer", "other"
MAX_ANSWERS = 8
IMAGES_DIM = 4  # batch, channels, height, width
BARE = ("ReLU", "GELU", "Tanh", "Sigmoid", "Softmax", "Flatten", "Dropout", "Identity")
BARE_PARTS = ("Pool", "Dropout", "Pad", "Upsample", "Flatten")  # of names of layers without any


class Start(StrEnum):
    """A ready-made network."""

    MLP = "mlp"
    SMALL_CNN = "small_cnn"
    RESIDUAL = "residual"
    AUTOENCODER = "autoencoder"
    CHIMERA = "chimera"
    TRANSFORMER = "transformer"
    BRANCHES = "branches"
    SHARED = "shared"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A built network: the trace of one batch, and its modules for the picture."""

    trace: ForwardTrace
    modules: tuple[Node, ...]


class Build(Step):
    """Build a network, and follow a batch through it.

    ``experiment`` is overridden: the network is a visitor's, so its size is checked and it is
    built by ``modules.build``; the text of its program is shown, not executed.
    """

    network: str = network_link()
    start: Start = shown_if(Start.MLP, network=("",))

    def __post_init__(self) -> None:
        """Reject a link without a network, or with one that has no program."""
        super().__post_init__()
        try:
            self.program()
        except InvalidSpecError:
            raise InvalidSettingError("choice", field="network", given="?", allowed="") from None

    @property
    def spec(self) -> Network:
        return from_link(self.network) if self.network else BUILDER_PRESETS[self.start.value]

    def code(self, w: Words) -> str:
        lines = as_sequential(self.spec, seed=0, run=True).rstrip().split("\n")
        first = lines.index("torch.manual_seed(0)")
        blank = len(lines) - 1 - lines[::-1].index("")  # before the batch
        made = (line for place, line in enumerate(lines[first + 1 :], first + 1) if place != blank)
        return "\n".join([*lines[:first], f"{lines[first]}{w.folded}", *made]) + w.asked

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the layers that may have most parameters, judged without building them."""
        del devices
        found = [
            (path, layer)
            for path, layer in layer_paths(self.spec.block)
            if layer.type not in BARE and not any(part in layer.type for part in BARE_PARTS)
        ]
        kept = sorted(found, key=lambda each: rough_size(each[1]), reverse=True)[:MAX_ANSWERS]
        names = [label(path, layer.type) for path, layer in found if (path, layer) in kept]
        return (*names, SEVERAL, NO_LAYER)

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Build the network, draw a batch and trace it.

        Raises:
            InvalidSpecError: It cannot be built, or is too large.
        """
        from playground.modules.build import build, draw_inputs  # these load torch
        from playground.modules.trace import trace_forward

        del report_progress
        net = build(self.spec, 0)
        trace = trace_forward(net, *draw_inputs(self.spec.input))
        modules = dict(net.named_modules())
        counts = {
            label(path, layer.type): count_parameters(modules[path])
            for path, layer in layer_paths(self.spec.block)
            if path in modules
        }
        return self.read(Built(trace=trace, modules=nodes_of(net)), counts)

    def read(self, built: Built, counts: dict[str, int]) -> Answer:
        """Return the answer from the trace, and the parameters of each layer."""
        trace, line = built.trace, self.asked_line() or 1
        most = max(counts.values(), default=0)
        largest = [name for name, count in counts.items() if count == most] if most else []
        prediction = SEVERAL if len(largest) > 1 else largest[0] if largest else NO_LAYER
        outcome, shapes = trace.outcome, trace.rows[0].output_shapes if trace.rows else ()
        shown = text(shapes[0]) if outcome.ok and len(shapes) == 1 else ""
        error = "" if outcome.ok else f"{outcome.error_type}: {outcome.message}"
        notes = (Note("Y", "float32", shown, ("cpu",)),) if shown else ()
        explanation, placeholders = explain(self.spec, trace)
        del placeholders["largest"]  # a fact says more
        return Answer(
            prediction=prediction if prediction in self.choices(()) else OTHER,
            ties=tuple(largest) if len(largest) > 1 else (),
            explanation=explanation,
            facts={
                "output_shape": shown or None,
                "largest": ", ".join(f"{name}: {counts[name]:,}" for name in largest) or None,
                "parameters": f"{trace.total_parameters:,}",
                "size_bytes": f"{trace.size_bytes:,}",
                "multiply_adds": f"{trace.multiply_adds:,}",
            },
            placeholders=placeholders,
            data=built,
            outcome=outcome,
            lines=(Line(number=line, notes=notes, error=error),),
            stopped_at=None if outcome.ok else line,
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        nodes = answer.data.modules if answer else tuple(planned_modules(self.spec.block))
        return Picture(tree(nodes), {"modules": tree_text(nodes)})

    @staticmethod
    def explain(spec: Network, trace: ForwardTrace) -> tuple[str, dict[str, str | int]]:
        """Return the explanation that fits a trace, and its values."""
        return explain(spec, trace)

    @staticmethod
    def is_met_by(challenge: str, spec: Network, trace: ForwardTrace) -> bool:
        """Return whether a network meets a challenge."""
        return CHALLENGES[challenge](spec, trace)


def planned_modules(
    node: Block | Layer | Shared, name: str = "net", depth: int = 0
) -> Iterator[Node]:
    """Yield the modules of a network before it is built."""
    yield Node(depth=depth, name=name, type_name=type_of(node))
    if isinstance(node, Block):
        for child, names in zip(node.children, node.names(), strict=True):
            for each in names:
                yield from planned_modules(child, each, depth + 1)


def count_parameters(module: Any) -> int:
    """Count the trainable values of a module, of lazy layers none; runs in the worker."""
    return sum(each.numel() for each in module.parameters() if not is_lazy(each))


def is_lazy(tensor: Any) -> bool:
    """Return whether a parameter has no shape yet."""
    return hasattr(tensor, "materialize")


def rough_size(layer: Layer) -> int:
    """Return a number that grows with the parameters of a layer: the product of its sizes.

    >>> rough_size(Layer.of("Linear", in_features=20, out_features=256, bias=False))
    5120
    """
    return math.prod(value for value in layer.keywords.values() if type(value) is int and value > 0)


def label(path: str, type_name: str) -> str:
    """Return the name of a layer in the answers.

    >>> label("0.weight", "Linear"), label("", "LSTM")
    ('0.weight Linear', 'LSTM')
    """
    return f"{path} {type_name}".strip()


def explain(spec: Network, trace: ForwardTrace) -> tuple[str, dict[str, str | int]]:
    """Return the explanation that fits, and its values."""
    advice = trace.suggestion
    rows = [row for row in trace.rows if row.path == trace.failed_at]
    failed: TraceRow | None = rows[-1] if rows and not trace.outcome.ok else None
    shapes = failed.input_shapes if failed else ()
    inside = {path for path, _ in layer_paths(spec.block)}
    counts = {
        label(row.path, row.type_name): row.total_parameters
        for row in trace.rows
        if row.path in inside
    }
    values: dict[str, str | int] = {
        "layer": label(failed.path, failed.type_name) if failed else "",
        "shape": text(shapes[0]) if shapes else "",
        "argument": (advice.argument or "") if advice else "",
        "given": str(advice.given) if advice else "",
        "value": str(advice.value) if advice else "",
        "count": len(counts),
        "inputs": len(spec.input),
        "last": text(trace.rows[-1].output_shapes[0]) if _has_shape(trace) else "",
        "largest": max(counts, key=counts.__getitem__, default="—"),
    }
    if trace.outcome.ok:
        return ("every-shape-fits" if counts else "nothing-in-it"), values
    if len(spec.input) > 1 and failed and not failed.path:
        return "takes-one-input", values
    kind = kind_at(spec.block, failed.path) if failed else None
    if kind in JOINS:
        return JOINS[kind], values
    if failed and failed.inputs.items and isinstance(failed.inputs.items[0], Tuple):
        return "gets-a-tuple", values
    if failed and failed.type_name.startswith("Embedding") and spec.input[0].kind == "float":
        return "wants-tokens", values
    is_features = advice is not None and advice.argument == "in_features"
    if (advice is not None and advice.insert) or (is_features and len(shapes[0]) == IMAGES_DIM):
        return "needs-flatten", values
    if is_features and failed and failed.call > 1:
        return "used-again", values
    if advice is None or advice.argument is None:
        return "stops-here", values
    names = {"in_features": "features-differ", "in_channels": "channels-differ"}
    return names.get(advice.argument, "argument-differs"), values


JOINS = {
    BlockKind.RESIDUAL: "residual-differs",
    BlockKind.ADD: "sum-differs",
    BlockKind.MULTIPLY: "sum-differs",
    BlockKind.CONCATENATE: "concatenate-differs",
}


def _has_shape(trace: ForwardTrace) -> bool:
    return bool(trace.rows and trace.rows[-1].output_shapes)


def text(shape: tuple[int, ...]) -> str:
    """Format a shape as torch does."""
    return str(tuple(shape))


def kind_at(block: Block | Layer | Shared, path: str) -> BlockKind | None:
    """Return the kind of the block at a path, or of the join in a wired one; None for a layer."""
    if not isinstance(block, Block):
        return None
    place = address_of(block, path)
    node = edit.node_at(block, place) if place else block
    if not isinstance(node, Block):
        return None
    joins = [each.kind for each in node.children if isinstance(each, Block) and not each.children]
    joins = [kind for kind in joins if kind in JOINS]
    return joins[0] if node.kind is BlockKind.SEQUENTIAL and joins else node.kind


def fits_at_last(step: Build, answer: Answer) -> bool:
    """Check that the layers of the broken start, with its input, give ten outputs each."""
    return fits(step.spec, answer.data.trace)


def is_small_and_right(step: Build, answer: Answer) -> bool:
    """Check that images become ten outputs, with a convolution and 1000 parameters at most."""
    return is_small(step.spec, answer.data.trace)


def fits(spec: Network, trace: ForwardTrace) -> bool:
    """Check that the layers of the broken start, with its input, give ten outputs each."""
    types = [row.type_name for row in trace.rows]
    has_all = types.count("Conv2d") >= 2 and types.count("MaxPool2d") >= 2 and "Linear" in types
    return spec.input[0].shape == (2, 3, 32, 32) and gives_ten(trace) and has_all


def is_small(spec: Network, trace: ForwardTrace) -> bool:
    """Check that images become ten outputs, with a convolution and 1000 parameters at most."""
    is_input = spec.input[0].shape == (2, 1, 28, 28)
    has_convolution = any(row.type_name == "Conv2d" for row in trace.rows)
    return is_input and gives_ten(trace) and has_convolution and trace.total_parameters <= 1000


def gives_ten(trace: ForwardTrace) -> bool:
    """Return whether the output has shape (2, 10)."""
    return trace.outcome.ok and trace.rows[0].output_shapes == ((2, 10),)


CHALLENGES = {"fits_at_last": fits, "is_small_and_right": is_small}
