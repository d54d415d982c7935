"""The builder as the plain data that its script draws."""

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from typing import Any

from playground import catalog
from playground.catalog import Language
from playground.modules.graph import graph_of
from playground.modules.graph_types import Card, CardKind
from playground.modules.layer_types import Group, LayerType
from playground.modules.source.program import class_lines, sequential_lines
from playground.modules.spec import Block, Layer, Network, Shared, edit
from playground.modules.spec.addresses import path_at
from playground.modules.spec.link import to_link
from playground.modules.spec.nodes import type_of
from playground.modules.spec.starts import STARTS
from playground.modules.trace_types import ForwardTrace
from playground.modules.workbench_types import Analysis, Flow, Optimizer, Training
from playground.steps import load_step
from ui import error_page
from ui.builder.argument_values import value_text
from ui.builder.state import BuilderState, Notice
from ui.language import current_language, say, table

Data = dict[str, object]
DTYPES = ("float32", "bfloat16", "float16", "float64")
LESSON, STEP = "blocks", "build"
USUAL_CARD = (1, 1, 0, 0, "")  # times, calls, parameters, multiply-adds, path
USUAL_EDGE = (0, 1, 1, None)  # is a skip, count, call, shape
TAKERS = {  # by lesson: the step that takes a network in its address
    "parameters": "all_names",
    "initialization": "apply_to_all",
    "tied_parameters": "counted_once",
    "lazy_layers": "too_early",
    "save_and_load": "model",
}


def library(layers: Mapping[str, LayerType]) -> Data:
    """Return what does not change in a visit: words, and the layers of the palette."""
    groups = [group for group in Group if group is not Group.CONTAINERS]
    return {
        "library": True,
        "lang": "zh-CN" if current_language() is Language.ZH else "en",
        "words": words(current_language()),
        "groups": [[group.value, say(f"builder.group-{group.value}")] for group in groups],
        "layers": [[each.name, each.group.value, each.summary] for each in layers.values()],
        "starts": [[name, say(f"builder.start-{name}")] for name in STARTS],
        "optimizers": list(Optimizer),
        "dtypes": DTYPES,
        "lessons": [
            [f"{name}?step={step}", catalog.lesson(name).title.said(current_language())]
            for name, step in TAKERS.items()
        ],
    }


@cache
def words(language: Language) -> Mapping[str, str]:
    """Return the texts of the script, by their ids without ``builder.``."""
    found = {name: text for name, text in table().items() if name.startswith("builder.ui-")}
    return {name.removeprefix("builder.ui-"): text.said(language) for name, text in found.items()}


def builder_data(state: BuilderState, analysis: Analysis) -> Data:
    """Return the data of the network on the screen."""
    network, trace = state.network, analysis.trace
    is_class = state.is_class
    lines = (class_lines if is_class else sequential_lines)(network, seed=0, run=True)
    data: Data = {
        "acknowledged": state.acknowledged,
        "graph": _graph(network, analysis),
        "lines": [[str(line), line.path] if line.path else [str(line)] for line in lines],
        "as_class": is_class,
        "is_class": state.root.is_wired,
        "answer": _answer(network, trace),
        "fixes": [[*_fix_words(fix.steps), fix.shape] for fix in analysis.fixes],
        "totals": _totals(analysis),
        "inputs": [
            [", ".join(map(str, one.shape)), one.kind.value, one.below] for one in network.input
        ],
        "form": _form(state),
        "notice": notice_text(state.notice),
        "is_refused": state.notice is not None and state.notice.error is not None,
        "can": [state.history.can_undo, state.history.can_redo],
        "choices": [state.optimizer, state.dtype, state.data],
        "link": to_link(network),
        "flow": _flow(state.flow) if state.flow else None,
        "training": _training(state.training) if state.training else None,
    }
    return data | _held_back(network) if state.is_held_back else data


def _held_back(network: Network) -> Data:
    """Return what takes the place of all that a visitor is to find out: the bare network."""
    return {
        "graph": _graph(network, None),
        "answer": {"ok": True, "text": "", "asks": True},
        "fixes": [],
        "totals": {"parameters": 0, "bytes": 0, "adds": 0},
        "flow": None,
        "training": None,
    }


def notice_text(notice: Notice | None) -> str:
    """Say why the last event was refused, or what else is to be known; empty if nothing is."""
    if notice is None:
        return ""
    why = error_page.sentence(notice.error, {}) if notice.error else ""
    before = say(f"builder.{notice.words}", **dict(notice.values)) if notice.words else ""
    return f"{before} {why}".strip()


def _graph(network: Network, analysis: Analysis | None) -> Data:
    """Return the graph as lists, without what is usual at their ends; bare without an analysis."""
    graph = graph_of(network, analysis.trace if analysis else None)
    counts = dict(analysis.parameters) if analysis else {}
    adds: dict[str, int] = {}
    for row in analysis.trace.rows if analysis else ():
        adds[row.path] = adds.get(row.path, 0) + (row.multiply_adds or 0)
    cards = [
        _without(
            USUAL_CARD,
            [
                *(each.id, each.kind.value, each.address, each.type, each.text, each.shape),
                *(each.frame, each.state.value[0], each.times, each.calls),
                *_counts(each, counts, adds),
                "" if each.path == each.id else each.path,
            ],
        )
        for each in graph.cards
    ]
    shapes = {each.id: each.shape for each in graph.cards}
    edges = [
        _without(
            USUAL_EDGE,
            [
                *(each.source, each.target, each.before, int(each.is_skip), each.count, each.call),
                None if each.shape == shapes[each.source] else each.shape,
            ],
        )
        for each in graph.edges
    ]
    frames = [
        [
            *(each.path, each.address, each.kind.value, each.name, each.times, each.parent),
            *(each.state.value[0], counts.get(each.path, 0) * each.times, each.shape),
        ]
        for each in graph.frames
    ]
    return {"cards": cards, "edges": edges, "frames": frames}


def _without(usual: tuple[object, ...], row: list[object]) -> list[object]:
    """Leave the last values of a row out where they are the usual ones; the script has them."""
    for value in reversed(usual):
        if row[-1] != value:
            break
        row.pop()
    return row


def _counts(card: Card, parameters: Mapping[str, int], adds: Mapping[str, int]) -> tuple[int, int]:
    """Return the parameters and the multiply-adds of a layer; an input or a join has none."""
    if card.kind is not CardKind.LAYER:
        return 0, 0
    return parameters.get(card.path, 0) * card.times, adds.get(card.path, 0) * card.times


def _answer(network: Network, trace: ForwardTrace) -> Data:
    """Return torch's answer: the output's shape, or the error, the layer and the reason."""
    if trace.outcome.ok:
        shapes = trace.rows[0].output_shapes if trace.rows else ()
        return {"ok": True, "text": ", ".join(str(tuple(shape)) for shape in shapes)}
    step: Any = load_step(LESSON, STEP)
    own = catalog.lesson(LESSON).step(STEP).words
    explanation, values = step.explain(network, trace)
    return {
        "ok": False,
        "path": trace.failed_at or "",
        "text": f"{trace.outcome.error_type}: {trace.outcome.message}",
        "why": own.explanations[explanation].filled(current_language(), **values),
    }


def _fix_words(steps: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]) -> tuple[str, ...]:
    said = [say(f"builder.fix-{id}", **dict(values)) for id, values in steps]
    return (say("builder.fix-then").join(said),)


def _totals(analysis: Analysis) -> Data:
    trace, memory = analysis.trace, analysis.memory
    data: Data = {
        "parameters": trace.total_parameters,
        "bytes": trace.size_bytes,
        "adds": trace.multiply_adds,
    }
    if memory is not None:
        parts = memory.parameters, memory.gradients, memory.optimizer_state, memory.activations
        data["memory"] = [*parts, memory.buffers]
    return data


def _training(training: Training) -> Data:
    """Return the losses, and the name of the task."""
    return {
        "task": say(f"builder.toy-{training.task}"),
        "losses": [round(loss, 4) for loss in training.losses],
        "over": training.is_over,
    }


def _flow(flow: Flow) -> Data:
    pictures = {
        key: [
            *(each.kind, each.width, each.height, b64encode(each.pixels).decode()),
            *(each.least, each.most, each.mean, each.std, each.zeros),
        ]
        for key, each in flow.values
    }
    return {"values": pictures, "gradients": dict(flow.gradients), "ok": flow.is_backward_complete}


# -- the form of the selected node --------------------------------------------------------------


def _form(state: BuilderState) -> Data | None:
    chosen = state.chosen
    if not chosen:
        return None
    node, parent = edit.node_at(state.root, chosen), edit.node_at(state.root, chosen[:-1])
    data: Data = {
        "address": chosen,
        "path": path_at(state.root, chosen),
        "type": type_of(node),
        "name": node.name or "",
        "times": node.times,
        "inputs": ", ".join(map(str, node.inputs)),
    }
    if isinstance(parent, Block):
        earlier = [own[-1] for own in parent.names()[: chosen[-1]]]
        count = len(state.network.input) if len(chosen) == 1 else len(parent.inputs) or 1
        sources = [f"#{number}" for number in range(1, count + 1)]
        data["sources"] = ["-", *sources, *([] if parent.kind.is_join else earlier)]
    match node:
        case Layer():
            data |= _layer_form(node, state.layers().get(node.type))
        case Block():
            data |= {"block": node.kind.value, "dim": node.dim}
        case Shared():
            data["of"] = node.of
    return data


def _layer_form(node: Layer, kind: LayerType | None) -> Data:
    if kind is None:
        return {}
    given = node.keywords
    first = [each for each in kind.arguments if each.is_required or each.name in given]
    fields = [
        [
            each.name,
            each.kind.value,
            value_text(given.get(each.name, each.default)),
            each.choices,
            int(each in first),
            int(each.allows_none),
        ]
        for each in sorted(kind.arguments, key=lambda each: each not in first)
    ]
    takes_time_first = kind.argument("batch_first") is not None and not given.get("batch_first")
    return {
        "time_first": takes_time_first,
        "summary": kind.summary,
        "arguments": fields,
        "wanted": len(kind.example_inputs) or 1,
    }
