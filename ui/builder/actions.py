"""Events of the builder's script, and the edits that they make; each is checked here."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from playground.errors import InvalidSpecError, PlaygroundError
from playground.modules.fix_edits import put_before, with_shortcut
from playground.modules.layer_types import LayerType
from playground.modules.spec import (
    Block,
    InputKind,
    InputSpec,
    Layer,
    Network,
    Shared,
    edit,
    json_text,
)
from playground.modules.spec.addresses import Address, landing
from playground.modules.spec.nodes import Node, node_from_plain
from playground.modules.spec.parts import kind_of
from playground.modules.spec.starts import STARTS
from playground.modules.spec.typed import typed_layers
from playground.modules.spec.wires import Wire
from ui.builder.argument_values import parse_value
from ui.builder.state import BuilderState, Notice, parsed

Event = Mapping[str, Any]
MAX_CHOSEN = 64
USUAL: dict[str, dict[str, object]] = {  # beside the example arguments of the catalogue
    **{f"Conv{n}d": {"kernel_size": 3, "padding": 1} for n in (1, 2, 3)},
    **{f"{way}Pool{n}d": {"kernel_size": 2} for way in ("Max", "Avg") for n in (1, 2, 3)},
    **{f"Adaptive{way}Pool{n}d": {"output_size": 1} for way in ("Max", "Avg") for n in (1, 2, 3)},
    **{name: {"batch_first": True} for name in ("RNN", "LSTM", "GRU")},
    "MultiheadAttention": {"embed_dim": 16, "num_heads": 4, "batch_first": True},
    "Transformer": {
        "d_model": 16,
        "nhead": 4,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "batch_first": True,
    },
    **{
        f"Transformer{side}Layer": {"d_model": 16, "nhead": 4, "batch_first": True}
        for side in ("Encoder", "Decoder")
    },
}  # fmt: skip


def handle(state: BuilderState, event: Event) -> None:
    """Do what an event says; what it cannot mean is left alone."""
    action = ACTIONS.get(str(event.get("type")))
    if action is None:
        return
    state.notice = None
    try:
        action(state, event)
    except PlaygroundError as error:
        state.notice = Notice("", error)
    except (IndexError, KeyError, TypeError, ValueError):
        return  # it was sent for another network than the one on the screen


def address_in(value: object) -> Address:
    """Read an address.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(value, list) or not all(type(part) is int and part >= 0 for part in value):
        raise ValueError(value)
    return tuple(value)


# -- putting in -----------------------------------------------------------------------------------


def ready_made(kind: LayerType) -> Layer:
    """Return a layer with usual arguments, and with as many wires as it has inputs."""
    given: dict[str, Any] = dict(kind.example_arguments)
    if usual := USUAL.get(kind.name):
        names = {each.name for each in kind.required} | usual.keys()
        given = {name: value for name, value in {**given, **usual}.items() if name in names}
    return _wired(Layer(kind.name, given), kind)


def _wired(layer: Layer, kind: LayerType) -> Layer:
    """Give a layer of several inputs as many wires."""
    return replace(layer, inputs=(Wire(),) * len(kind.example_inputs))


def _insert(state: BuilderState, event: Event) -> None:
    """Put in a layer, a block, or what was typed: on an edge, or after the selected node."""
    given = str(event.get("layer", ""))
    if "kind" in event:
        nodes: list[Node] = [Block(kind=kind_of(event["kind"]))]
    elif given in state.layers():
        nodes = [ready_made(state.layers()[given])]
    else:
        known = state.layers()
        nodes = [_wired(layer, known[layer.type]) for layer in typed_layers(given, known)]
    _put_in(state, nodes, event)


def _put_in(state: BuilderState, nodes: list[Node], event: Event, *, fits: bool = True) -> None:
    if event.get("skip"):
        _put_on_shortcut(state, nodes, address_in(event["at"]))
        return
    at = address_in(event["at"]) if event.get("at") is not None else _after_selected(state)
    root, place = state.root, at
    places: list[Address] = []
    for node in nodes:
        if _is_shortcut_input(state.network, node, place):
            numbers = [f"#{number}" for number in range(1, len(node.inputs) + 1)]
            node = Layer(node.type, node.arguments, inputs=numbers)  # type: ignore[union-attr]
        root, place = put_before(root, place, node)
        places.append(place)
        place = (*place[:-1], place[-1] + 1)
    fit = tuple(places) if fits else ()
    state.change(lambda _: root, places[-1], fit)


def _is_shortcut_input(network: Network, node: Node, place: Address) -> bool:
    """Return whether a layer of several inputs takes those of the network."""
    return (
        isinstance(node, Layer)
        and len(node.inputs) > 1
        and len(network.input) == len(node.inputs)
        and place == (0,)
    )


def _put_on_shortcut(state: BuilderState, nodes: list[Node], block: Address) -> None:
    (node,) = nodes
    state.change(lambda root: with_shortcut(root, block, node), block, ((*block, 1),))


def _after_selected(state: BuilderState) -> Address:
    chosen = state.chosen
    if not chosen:
        return (len(state.root.children),)
    node = edit.node_at(state.root, chosen)
    if isinstance(node, Block) and (node.children or not node.inputs):
        return (*chosen, len(node.children))
    return (*chosen[:-1], chosen[-1] + 1)


def _paste(state: BuilderState, event: Event) -> None:
    plain = json_text.read(str(event.get("nodes", "")))
    if not isinstance(plain, list) or not 1 <= len(plain) <= MAX_CHOSEN:
        raise InvalidSpecError("spec_not_network")
    nodes = [node_from_plain(each) for each in plain]
    _put_in(state, [each for each in nodes if not isinstance(each, Shared)], event, fits=False)


# -- changing ------------------------------------------------------------------------------------


def _remove(state: BuilderState, event: Event) -> None:
    chosen = [address_in(each) for each in event["addresses"][:MAX_CHOSEN]]

    def change(root: Block) -> Block:
        for address in sorted(chosen, reverse=True):
            root = edit.remove(root, address)
        return root

    state.change(change)
    first = min(chosen)
    for near in (first, (*first[:-1], first[-1] - 1)):
        if near[-1] >= 0 and edit.has(state.root, near) and event.get("keeps"):
            state.selected = near
            break


def _duplicate(state: BuilderState, event: Event) -> None:
    address = address_in(event["address"])
    after = (*address[:-1], address[-1] + 1)
    state.change(lambda root: edit.duplicate(root, address), after)


def _move(state: BuilderState, event: Event) -> None:
    source, target = address_in(event["address"]), address_in(event["to"])
    landed = landing(source, target)
    state.change(lambda root: edit.move(root, source, landed), landed)


def _step(state: BuilderState, event: Event) -> None:
    address = address_in(event["address"])
    target = edit.step(state.root, address, down=event.get("down") is True)
    if target is not None:
        state.change(lambda root: edit.move(root, address, target), target)


def _group(state: BuilderState, event: Event) -> None:
    chosen = sorted(address_in(each) for each in event["addresses"][:MAX_CHOSEN])
    first, kind = chosen[0], kind_of(event.get("kind", "sequential"))
    count = chosen[-1][len(first) - 1] - first[-1] + 1
    parent = edit.node_at(state.root, first[:-1])
    if kind.is_join or (isinstance(parent, Block) and parent.kind.is_join):
        state.change(lambda root: edit.wrap(root, first, kind), first)
    else:
        state.change(lambda root: edit.group(root, first, count, kind), first)


def _unwrap(state: BuilderState, event: Event) -> None:
    address = address_in(event["address"])
    state.change(lambda root: edit.unwrap(root, address), address)


def _share(state: BuilderState, event: Event) -> None:
    address = address_in(event["address"])
    after = (*address[:-1], address[-1] + 1)
    state.change(lambda root: edit.share(root, address, after), after)


def _set_argument(state: BuilderState, event: Event) -> None:
    address, name = address_in(event["address"]), str(event["argument"])
    node = edit.node_at(state.root, address)
    if not isinstance(node, Layer):
        return
    argument = state.layers()[node.type].argument(name)
    if argument is None:
        return
    try:
        value = parse_value(event.get("value"), argument)
    except ValueError:
        values = (("argument", name), ("given", str(event.get("value"))[:40]))
        state.notice = Notice("not-meant", None, values)
        return
    given = {**node.keywords, name: value}
    if not argument.is_required and repr(value) == repr(argument.default):
        given.pop(name)  # as a program would leave it out
    state.change(lambda root: edit.set_arguments(root, address, given), address)


def _set_kind(state: BuilderState, event: Event) -> None:
    address, kind, dim = address_in(event["address"]), kind_of(event["kind"]), event.get("dim", 1)
    state.change(lambda root: edit.set_kind(root, address, kind, dim), address)


def _set_inputs(state: BuilderState, event: Event) -> None:
    address = address_in(event["address"])
    wires = [word.strip() for word in str(event.get("wires", "")).split(",") if word.strip()]
    state.change(lambda root: edit.set_inputs(root, address, wires), address)


def _rename(state: BuilderState, event: Event) -> None:
    address, name = address_in(event["address"]), str(event.get("name") or "").strip()
    state.change(lambda root: edit.rename(root, address, name or None), address)


def _repeat(state: BuilderState, event: Event) -> None:
    address, times = address_in(event["address"]), int(event["times"])
    state.change(lambda root: edit.repeat(root, address, times), address)


# -- the whole network -----------------------------------------------------------------------------


def _set_input(state: BuilderState, event: Event) -> None:
    """Change an input, add one, or take the last one out."""
    inputs, number = list(state.network.input), int(event["number"])
    if event.get("gone"):
        del inputs[number - 1]
    else:
        kind = InputKind(str(event.get("kind", "float")))
        one = InputSpec(sizes_in(str(event["shape"])), kind, int(event.get("below") or 10))
        inputs[number - 1 : number] = [one]
    state.load(Network(state.network.block, inputs))


def sizes_in(text: str) -> tuple[int, ...]:
    """Read a shape.

    Raises:
        InvalidSpecError: It is none.

    >>> sizes_in("2, 20"), sizes_in("(2, 20)"), sizes_in("2×20")
    ((2, 20), (2, 20), (2, 20))
    """
    words = text.strip("()[] ").replace("×", ",").replace("x", ",").replace(" ", ",").split(",")
    parts = [part for part in words if part]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise InvalidSpecError("spec_shape", given=text[:40])
    return tuple(map(int, parts))


def _start(state: BuilderState, event: Event) -> None:
    network = STARTS.get(str(event.get("name")))
    if network is not None and state.load(network):
        state.selected = None


def _load(state: BuilderState, event: Event) -> None:
    """Load a file that the browser has read."""
    try:
        network = Network.from_json(str(event.get("text", "")))
    except InvalidSpecError as error:
        state.notice = Notice("bad-file", error)
    else:
        if state.load(network):
            state.selected = None


def _apply_fix(state: BuilderState, event: Event) -> None:
    fixes, number = state.analyze().fixes, int(event["number"])
    if 0 <= number < len(fixes):
        state.load(parsed(fixes[number].network))


def _select(state: BuilderState, event: Event) -> None:
    address = event.get("address")
    state.selected = None if address is None else address_in(address)


def _choose(state: BuilderState, event: Event) -> None:
    """Set how the network is shown, and what for."""
    name, value = str(event.get("name")), event.get("value")
    if name == "as_class":
        state.as_class = value is True
    elif name in ("optimizer", "dtype", "data"):
        setattr(state, name, str(value))


ACTIONS: dict[str, Callable[[BuilderState, Event], None]] = {
    "insert": _insert,
    "paste": _paste,
    "remove": _remove,
    "duplicate": _duplicate,
    "move": _move,
    "step": _step,
    "group": _group,
    "unwrap": _unwrap,
    "share": _share,
    "set": _set_argument,
    "kind": _set_kind,
    "inputs": _set_inputs,
    "rename": _rename,
    "repeat": _repeat,
    "input": _set_input,
    "start": _start,
    "load": _load,
    "fix": _apply_fix,
    "undo": lambda state, _: state.go(-1),
    "redo": lambda state, _: state.go(1),
    "stop": lambda state, _: state.stop(),
    "select": _select,
    "choose": _choose,
}
