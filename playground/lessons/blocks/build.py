"""The builder: any network of torch.nn, and the way of a batch through it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Any, ClassVar

from playground.compute.settings import Settings
from playground.compute.streaming import tell_nobody
from playground.errors import InvalidSettingError, InvalidSpecError
from playground.lessons.blocks.pictures import Stage, flow, way
from playground.modules.forward_trace import ForwardTrace, Shape, TraceRow
from playground.modules.layer_types import Group, LayerType
from playground.modules.source import as_class, as_sequential
from playground.modules.spec import Block, BlockKind, Layer, Network, Shared
from playground.modules.spec.link import from_link
from playground.modules.spec.starts import READY
from playground.palette import Words as Labels
from playground.steps import Answer, Line, Note, Picture, Step, Words, network_link, shown_if

SEVERAL, NO_LAYER, OTHER = "several", "no_layer", "other"
MAX_ANSWERS = 8
IMAGES_DIM = 4  # batch, channels, height, width
FEATURES = 20  # what the blocks of these lessons take, where they take any
BARE = ("ReLU", "GELU", "Tanh", "Sigmoid", "Softmax", "Flatten", "Dropout", "Identity")
BARE_PARTS = ("Pool", "Dropout", "Pad", "Upsample", "Flatten")  # of names of layers without any
SIGNS = {BlockKind.RESIDUAL: "+ input", BlockKind.CONCATENATE: "cat"}


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
    """One module of the network, whether the batch came to it or not.

    Attributes:
        own_parameters: Values in its own parameters; None where they have no shape yet.
        same_as: The path under which the same module was met before; empty where it is new.
    """

    path: str
    type_name: str
    own_parameters: int | None
    same_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A network that was built, and one batch on its way through it."""

    trace: ForwardTrace
    modules: tuple[ModuleRow, ...]


@dataclass(frozen=True, kw_only=True)
class ListLayers(Settings[tuple[LayerType, ...]]):
    """List the layers of torch.nn, and the lessons' own blocks."""

    uses_hardware: ClassVar[bool] = False

    def experiment(self) -> tuple[LayerType, ...]:
        """Ask torch; called in the worker."""
        from playground.modules import catalogue  # these load torch
        from playground.modules.build.known import CUSTOM
        from playground.modules.catalogue.signatures import arguments_of
        from playground.modules.catalogue.summaries import summary_of

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

        return (*catalogue.layers(), *map(own, CUSTOM))


class Build(Step):
    """Build a network, and follow a batch through it.

    The experiment is no plain run of the program: the network is a visitor's, so its size is
    checked and it is built by ``modules.build``; the text of its program is shown, not executed.
    """

    network: str = network_link()
    start: Start = shown_if(Start.MLP, network=("",))

    def __post_init__(self) -> None:
        """Refuse a link that holds no network, or one of which no program can be written."""
        super().__post_init__()
        try:
            self.program()
        except InvalidSpecError:
            raise InvalidSettingError("choice", field="network", given="?", allowed="") from None

    @property
    def spec(self) -> Network:
        """The network as data."""
        return from_link(self.network) if self.network else READY[self.start.value]

    def code(self, w: Words) -> str:
        """The network as nested Sequentials, and a batch."""
        lines = as_sequential(self.spec, seed=0, run=True).rstrip().split("\n")
        first = lines.index("torch.manual_seed(0)")
        blank = len(lines) - 1 - lines[::-1].index("")  # before the batch
        made = (line for place, line in enumerate(lines[first + 1 :], first + 1) if place != blank)
        return "\n".join([*lines[:first], f"{lines[first]}{w.folded}", *made]) + w.asked

    @staticmethod
    def layers() -> ListLayers:
        """The settings that list what a network can be built of."""
        return ListLayers()

    def program_as_class(self) -> str:
        """The same network as a class of its own."""
        return as_class(self.spec, seed=0, run=True)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """The layers that may have parameters, as far as names tell it without building them."""
        del devices
        names = [
            label(path, layer.type)
            for path, layer in leaves(self.spec.block)
            if layer.type not in BARE and not any(part in layer.type for part in BARE_PARTS)
        ]
        return (*names[:MAX_ANSWERS], SEVERAL, NO_LAYER)

    def experiment(self, report_progress: Callable[[Any], None] = tell_nobody) -> Answer:
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
        met: dict[Any, str] = {}
        paths = dict(leaves(self.spec.block))
        for path, module in net.named_modules(remove_duplicate=False):
            own = list(module.parameters(recurse=False))
            is_counted = not any(map(is_lazy, own))
            rows.append(
                ModuleRow(
                    path=path,
                    type_name=type(module).__name__,
                    own_parameters=sum(each.numel() for each in own) if is_counted else None,
                    same_as=met.get(module, ""),
                )
            )
            if path in paths and module not in met:
                parts = [each for each in module.parameters() if not is_lazy(each)]
                counts[label(path, paths[path].type)] = sum(each.numel() for each in parts)
            met.setdefault(module, path)
        return self.read(Built(trace=trace, modules=tuple(rows)), counts)

    def read(self, built: Built, counts: dict[str, int]) -> Answer:
        """The answer from the trace, and the parameters of each layer."""
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
        """The layers in order, with every shape on the way."""
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
    """Whether a parameter has no shape yet."""
    return hasattr(tensor, "materialize")


def text(shape: Shape) -> str:
    """A shape as torch writes it."""
    return str(tuple(shape))


def label(path: str, type_name: str) -> str:
    """A layer as the answers call it.

    >>> label("0.weight", "Linear"), label("", "LSTM")
    ('0.weight Linear', 'LSTM')
    """
    return f"{path} {type_name}".strip()


def leaves(node: Block | Layer | Shared, prefix: str = "") -> Iterator[tuple[str, Layer]]:
    """Every layer with its path, copies each by itself; layers used again are left out."""
    if isinstance(node, Layer):
        yield prefix, node
    if isinstance(node, Block):
        for child, names in zip(node.children, node.names(), strict=True):
            for name in names:
                yield from leaves(child, f"{prefix}.{name}" if prefix else name)


def blocks(node: Block | Layer | Shared, prefix: str = "") -> Iterator[tuple[str, BlockKind]]:
    """Every block inside with its path and its kind."""
    if isinstance(node, Block):
        for child, names in zip(node.children, node.names(), strict=True):
            for name in names:
                path = f"{prefix}.{name}" if prefix else name
                if isinstance(child, Block):
                    yield path, child.kind
                    yield from blocks(child, path)


def ends(node: Block | Layer | Shared) -> set[str]:
    """The paths of everything that is no block, layers that are used again included."""
    found = set()
    if not isinstance(node, Block):
        return {""}
    for child, names in zip(node.children, node.names(), strict=True):
        for name in names:
            found |= {f"{name}.{rest}".rstrip(".") for rest in ends(child)}
    return found


def stages(spec: Network, trace: ForwardTrace) -> Iterator[Stage]:
    """The calls of the network's own layers in order, and what blocks make of their outputs."""
    kinds, own = dict(blocks(spec.block)), ends(spec.block)
    calls = [row for row in trace.rows if row.path in own]
    for row, following in zip_longest(calls, calls[1:]):
        around = [path for path in kinds if row.path.startswith(f"{path}.")]
        left = [p for p in around if following is None or not following.path.startswith(f"{p}.")]
        joined = () if not row.has_returned else tuple(_joined(left[::-1], kinds, trace))
        again = "↻ " if row.call > 1 else ""
        yield Stage(
            label=f"{again}{row.type_name}",
            path=row.path,
            shape=text(row.output_shapes[0]) if row.has_returned and row.output_shapes else "",
            note=f"{row.total_parameters:,}" if row.total_parameters and row.call == 1 else "",
            joined=joined,
            depth=len(around),
            has_parameters=row.total_parameters > 0,
            is_failing=not row.has_returned,
        )


def _joined(paths: list[str], kinds: dict[str, BlockKind], trace: ForwardTrace) -> Iterator[str]:
    for path in paths:
        row = trace.at(path)
        if row is not None and kinds[path] in SIGNS:
            shape = text(row.output_shapes[0]) if row.has_returned and row.output_shapes else "✗"
            yield f"{SIGNS[kinds[path]]} → {shape}"


def reason(
    spec: Network, trace: ForwardTrace, found: tuple[Stage, ...]
) -> tuple[str, dict[str, str | int]]:
    """The explanation that fits, and what it mentions."""
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
    """A network with the layers of the broken start, from its input, gives ten numbers each."""
    types = [row.type_name for row in answer.data.trace.rows]
    has_all = types.count("Conv2d") >= 2 and types.count("MaxPool2d") >= 2 and "Linear" in types
    is_input = step.spec.input[0].shape == (2, 3, 32, 32)
    return is_input and answer.facts["output_shape"] == "(2, 10)" and has_all


def is_small_and_right(step: Build, answer: Answer) -> bool:
    """Images become ten numbers each, by a convolution, with a thousand parameters at most."""
    types = [row.type_name for row in answer.data.trace.rows]
    is_input = step.spec.input[0].shape == (2, 1, 28, 28)
    is_right = is_input and answer.facts["output_shape"] == "(2, 10)" and "Conv2d" in types
    return is_right and answer.data.trace.total_parameters <= 1000
