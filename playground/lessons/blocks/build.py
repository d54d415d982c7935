"""Step "build": a network built from any layers of torch.nn, and a batch traced through it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from playground.compute.settings import Settings
from playground.compute.streaming import ignore_progress
from playground.errors import InvalidSettingError, InvalidSpecError
from playground.lessons.blocks.network_stages import SIGNS, blocks, leaves, stages, text
from playground.lessons.blocks.pictures import Stage, flow, way
from playground.modules.layer_types import Group, LayerType
from playground.modules.source import as_class, as_sequential
from playground.modules.spec import Network
from playground.modules.spec.link import from_link
from playground.modules.spec.presets import BUILDER_PRESETS
from playground.modules.trace_types import ForwardTrace, TraceRow
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
FEATURES = 20  # the input features of these lessons' blocks that have any
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
class ModuleRow:
    """One module of the network, reached by the batch or not.

    Attributes:
        own_parameters: Values in its own parameters; None where they have no shape yet.
        same_as: The first path of the same module; empty if this is the first.
    """

    path: str
    type_name: str
    own_parameters: int | None
    same_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A built network, and the trace of one batch."""

    trace: ForwardTrace
    modules: tuple[ModuleRow, ...]


@dataclass(frozen=True, kw_only=True)
class ListLayers(Settings[tuple[LayerType, ...]]):
    """List the layers of torch.nn, and the lessons' own blocks."""

    uses_hardware: ClassVar[bool] = False

    def experiment(self) -> tuple[LayerType, ...]:
        """List the layers of the installed torch; runs in the worker."""
        from playground.modules import catalogue  # these load torch
        from playground.modules.build.known_layers import CUSTOM_LAYERS
        from playground.modules.catalogue.layer_classes import summary_of
        from playground.modules.catalogue.signatures import arguments_of

        def own(kind: Any) -> LayerType:
            arguments = arguments_of(kind)
            examples = tuple((each.name, FEATURES) for each in arguments if each.is_required)
            return LayerType(
                name=kind.__name__,
                group=Group.CUSTOM,
                summary=summary_of(kind),
                arguments=arguments,
                example_arguments=examples,
                is_chainable=True,
            )

        return (*catalogue.layers(), *map(own, CUSTOM_LAYERS))


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

    @staticmethod
    def layers() -> ListLayers:
        """Return the settings that list the available layers."""
        return ListLayers()

    def program_as_class(self) -> str:
        """Return the same network as a program with a class."""
        return as_class(self.spec, seed=0, run=True)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the layers that may have parameters, judged by name without building them."""
        del devices
        names = [
            label(path, layer.type)
            for path, layer in leaves(self.spec.block)
            if layer.type not in BARE and not any(part in layer.type for part in BARE_PARTS)
        ]
        return (*names[:MAX_ANSWERS], SEVERAL, NO_LAYER)

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
        rows: list[ModuleRow] = []
        counts: dict[str, int] = {}
        first_paths: dict[Any, str] = {}
        paths = dict(leaves(self.spec.block))
        for path, module in net.named_modules(remove_duplicate=False):
            own = list(module.parameters(recurse=False))
            is_counted = not any(map(is_lazy, own))
            rows.append(
                ModuleRow(
                    path=path,
                    type_name=type(module).__name__,
                    own_parameters=sum(each.numel() for each in own) if is_counted else None,
                    same_as=first_paths.get(module, ""),
                )
            )
            if path in paths and module not in first_paths:
                parts = [each for each in module.parameters() if not is_lazy(each)]
                counts[label(path, paths[path].type)] = sum(each.numel() for each in parts)
            first_paths.setdefault(module, path)
        return self.read(Built(trace=trace, modules=tuple(rows)), counts)

    def read(self, built: Built, counts: dict[str, int]) -> Answer:
        """Return the answer from the trace, and the parameters of each layer."""
        trace, line = built.trace, self.asked_line() or 1
        most = max(counts.values(), default=0)
        largest = [name for name, count in counts.items() if count == most] if most else []
        prediction = SEVERAL if len(largest) > 1 else largest[0] if largest else NO_LAYER
        outcome, shapes = trace.outcome, trace.rows[0].output_shapes if trace.rows else ()
        found = tuple(stages(self.spec, trace))
        shown = text(shapes[0]) if outcome.ok and len(shapes) == 1 else ""
        error = "" if outcome.ok else f"{outcome.error_type}: {outcome.message}"
        notes = (Note("Y", "float32", shown, ("cpu",)),) if shown else ()
        explanation, placeholders = reason(self.spec, trace, found)
        return Answer(
            prediction=prediction if prediction in self.choices(()) else OTHER,
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
        first = text(self.spec.input[0].shape)
        if answer is None:
            plain = [
                Stage(path=path, label=layer.type, depth=path.count("."))
                for path, layer in leaves(self.spec.block)
            ]
            return Picture(flow(first, plain), {"way": way(first, plain)})
        found = tuple(stages(self.spec, answer.data.trace))
        return Picture(flow(first, found), {"way": way(first, found)})


def is_lazy(tensor: Any) -> bool:
    """Return whether a parameter has no shape yet."""
    return hasattr(tensor, "materialize")


def label(path: str, type_name: str) -> str:
    """Return the name of a layer in the answers.

    >>> label("0.weight", "Linear"), label("", "LSTM")
    ('0.weight Linear', 'LSTM')
    """
    return f"{path} {type_name}".strip()


def reason(
    spec: Network, trace: ForwardTrace, found: tuple[Stage, ...]
) -> tuple[str, dict[str, str | int]]:
    """Return the explanation that fits, and its values."""
    advice = trace.suggestion
    rows = [row for row in trace.rows if row.path == trace.failed_at]
    failed: TraceRow | None = rows[-1] if rows and not trace.outcome.ok else None
    shapes = failed.input_shapes if failed else ()
    values: dict[str, str | int] = {
        "layer": label(failed.path, failed.type_name) if failed else "",
        "shape": text(shapes[0]) if shapes else "",
        "argument": (advice.argument or "") if advice else "",
        "given": str(advice.given) if advice else "",
        "value": str(advice.value) if advice else "",
        "count": len(found),
        "inputs": len(spec.input),
        "last": found[-1].shape if found else "",
    }
    kinds = dict(blocks(spec.block))
    if trace.outcome.ok:
        return ("every-shape-fits" if found else "nothing-in-it"), values
    if len(spec.input) > 1 and failed and not failed.path:
        return "takes-one-input", values
    if failed and failed.path in kinds and kinds[failed.path] in SIGNS:
        return f"{kinds[failed.path].value}-differs", values
    is_features = advice is not None and advice.argument == "in_features"
    if (advice is not None and advice.insert) or (is_features and len(shapes[0]) == IMAGES_DIM):
        return "needs-flatten", values
    if is_features and failed and failed.call > 1:
        return "used-again", values
    if advice is None or advice.argument is None:
        return "stops-here", values
    names = {"in_features": "features-differ", "in_channels": "channels-differ"}
    return names.get(advice.argument, "argument-differs"), values


def fits_at_last(step: Build, answer: Answer) -> bool:
    """Check that the layers of the broken start, with its input, give ten outputs each."""
    types = [row.type_name for row in answer.data.trace.rows]
    has_all = types.count("Conv2d") >= 2 and types.count("MaxPool2d") >= 2 and "Linear" in types
    is_input = step.spec.input[0].shape == (2, 3, 32, 32)
    return is_input and answer.facts["output_shape"] == "(2, 10)" and has_all


def is_small_and_right(step: Build, answer: Answer) -> bool:
    """Check that images become ten outputs, with a convolution and 1000 parameters at most."""
    types = [row.type_name for row in answer.data.trace.rows]
    is_input = step.spec.input[0].shape == (2, 1, 28, 28)
    is_right = is_input and answer.facts["output_shape"] == "(2, 10)" and "Conv2d" in types
    return is_right and answer.data.trace.total_parameters <= 1000
