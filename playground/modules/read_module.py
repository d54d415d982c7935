"""Reads a module that a program has made as a network: its layers, blocks and wires.

Containers and layers are read from the modules themselves. Any other class is traced by
``torch.fx``: its forward runs once with stand-ins for its inputs.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

import torch
from torch import fx, nn
from torch.nn import functional

from playground.errors import InvalidSpecError
from playground.modules import catalogue, custom_source
from playground.modules.build.assemble import assembled
from playground.modules.build.known_layers import BLOCK_CLASSES, CUSTOM_LAYERS
from playground.modules.read_functions import FUNCTIONS, JOINS, METHODS, layer_of, reshaped
from playground.modules.spec.network import InputSpec, Network
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind, Shared, Value
from playground.modules.spec.wires import Wire

PARTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "PositionalEmbedding": lambda made: dict(
        zip(("num_positions", "features"), made.weight.shape, strict=True)
    ),
    "CausalSelfAttention": lambda made: {
        "embed_dim": made.attention.embed_dim,
        "num_heads": made.attention.num_heads,
    },
    "MLP": lambda made: {
        "in_features": made.hidden.in_features,
        "hidden_features": made.hidden.out_features,
        "out_features": made.out.out_features,
    },
    "FixedHiddenMLP": lambda made: {"features": made.linear.in_features},
    "MyLinear": lambda made: dict(zip(("in_units", "units"), made.weight.shape, strict=True)),
}
PARTS["MyLinearWithData"] = PARTS["MyLinear"]


def network_of(module: nn.Module, inputs: tuple[InputSpec, ...]) -> Network:
    """Return the network that a module is, without its weights.

    Args:
        module: Of any class.
        inputs: What it is called with.

    Raises:
        InvalidSpecError: Something in it is no layer and no wire, such as a loop over its data.
    """
    node = _Reader().node(module, "")
    root = node if isinstance(node, Block) else Block([node])
    return Network(Block(root.children, kind=root.kind, dim=root.dim), inputs)


class _Reader:
    """Reads modules; one that was read before is shared from then on."""

    def __init__(self) -> None:
        self.paths: dict[nn.Module, str] = {}

    def node(self, module: nn.Module, path: str, **place: Any) -> Node:
        """Return the node of a module at a path."""
        if module in self.paths:
            return Shared(self.paths[module], **{k: v for k, v in place.items() if k != "times"})
        if path:
            self.paths[module] = path
        kind = type(module).__name__
        if _is_torchs(module) and type(module) is not nn.Sequential:
            return _layer(module, kind, _arguments(module, kind), place)
        if kind in PARTS and _is_ours(module):
            return _layer(module, kind, PARTS[kind](module), place)
        if kind in custom_source.LAYERS and _is_ours(module):
            held = {
                name: getattr(module, name)
                for name in ("index", "dims", "shape")
                if hasattr(module, name)
            }
            return _layer(module, kind, held, place)
        for block_kind, known in BLOCK_CLASSES.items():
            if kind == known.__name__ and (type(module) is nn.Sequential or _is_ours(module)):
                return Block(self._children(module, path), kind=block_kind, **place)
        return self._traced(module, path, place)

    def _children(self, module: nn.Module, path: str) -> Iterator[Node]:
        for number, (name, child) in enumerate(module._modules.items()):
            below = f"{path}.{name}" if path else name
            own = None if name == str(number) else name
            if child is not None:
                yield self.node(child, below, name=own)

    def _traced(self, module: nn.Module, path: str, place: dict[str, Any]) -> Block:
        """Trace the forward of a class, and read its statements as wired nodes."""
        try:
            graph = _Tracer().trace(module)
        except InvalidSpecError:
            raise
        except Exception as error:  # noqa: BLE001 - a student's forward may raise anything
            text = " ".join(str(error).split())[:120]
            raise InvalidSpecError("spec_read", type=type(module).__name__, text=text) from None
        return _Wiring(self, module, path).block(graph, place)


class _Tracer(fx.Tracer):  # type: ignore[misc]  # mypy skips torch.fx
    """Looks into no module: each that is called is read by itself."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        del m, module_qualified_name
        return True


class _Wiring:
    """Turns the calls of one forward into nodes with wires."""

    def __init__(self, reader: _Reader, module: nn.Module, path: str) -> None:
        self.reader, self.module, self.path = reader, module, path
        self.nodes: list[Node] = []
        self.values: dict[fx.Node, Wire] = {}
        self.shapes: set[fx.Node] = set()  # what is a shape,
        self.batches: set[fx.Node] = set()  # and what is its first size
        self.taken: set[str] = set()

    def block(self, graph: fx.Graph, place: dict[str, Any]) -> Block:
        count = 0
        for each in graph.nodes:
            if each.op == "placeholder":
                count += 1
                self.values[each] = Wire(f"#{count}")
            elif each.op == "output":
                self._end(each.args[0])
            elif self._is_size(each):
                continue
            elif each.target is operator.getitem and isinstance(each.args[1], int):
                before = self.values[each.args[0]]
                self.values[each] = Wire(before.source, (*before.items, each.args[1]))
            else:
                self._add(each)
        return Block(self.nodes, **place)

    def _is_size(self, each: fx.Node) -> bool:
        """Return whether a call asks for a shape, or for the size of the batch; note it."""
        if each.target == "size" and len(each.args) == 2 and each.args[1] == 0:
            self.batches.add(each)
        elif (each.target == "size" and len(each.args) == 1) or (
            each.target is getattr and each.args[1] == "shape"
        ):
            self.shapes.add(each)
        elif each.target is operator.getitem and each.args[0] in self.shapes and each.args[1] == 0:
            self.batches.add(each)
        else:
            return False
        return True

    def _end(self, value: Any) -> None:
        """Let the block return a value: that of its last node."""
        if not isinstance(value, fx.Node):
            raise InvalidSpecError("spec_read", type=type(self.module).__name__, text="return")
        wire = self.values[value]
        if self.nodes and wire == Wire(self._name(len(self.nodes) - 1)):
            return
        is_item = len(wire.items) > 0
        node = Layer("Item", {"index": wire.items}) if is_item else Layer("Identity")
        self.nodes.append(Layer(node.type, node.arguments, inputs=(Wire(wire.source),)))

    def _name(self, number: int) -> str:
        return self.nodes[number].name or str(number)

    def _add(self, each: fx.Node) -> None:
        number = len(self.nodes)
        given = [*each.args, *each.kwargs.values()]
        if each.op == "call_module":
            made = self.module.get_submodule(str(each.target))
            own = str(each.target).replace(".", "_").strip("_")
            name = None if own.isdigit() or own in self.taken else own
            self.taken.add(own)
            wires = self._wires(given, each)
            below = name or str(number)
            path = f"{self.path}.{below}" if self.path else below
            self.nodes.append(self.reader.node(made, path, name=name, inputs=wires))
        else:
            self.nodes.append(self._function(each, number))
        self.values[each] = Wire(self._name(number))

    def _wires(self, given: list[Any], each: fx.Node) -> tuple[Wire, ...]:
        """Return the wires of a call; what comes from the node before it is ``-``."""
        if not all(isinstance(value, fx.Node) and value in self.values for value in given):
            raise InvalidSpecError("spec_read", type=str(each.target)[:40], text=str(each)[:60])
        last = self._name(len(self.nodes) - 1) if self.nodes else "#1"
        wires = (self.values[value] for value in given)
        return tuple(Wire("-", wire.items) if wire.source == last else wire for wire in wires)

    def _function(self, each: fx.Node, number: int) -> Node:
        del number
        target: Any = each.target
        name = str(getattr(target, "__name__", target))
        if target in JOINS:
            parts = (
                list(each.args[0]) if name.startswith("conc") or name == "cat" else list(each.args)
            )
            dim = each.kwargs.get(
                "dim", each.args[1] if JOINS[target] == "concatenate" and len(each.args) > 1 else 0
            )
            wires = self._wires(parts, each)
            return Block([], kind=BlockKind(JOINS[target]), dim=dim, inputs=wires)
        if each.op not in ("call_function", "call_method") or not each.args:
            raise InvalidSpecError("spec_read", type=str(target)[:40], text=str(each)[:60])
        before, *rest = each.args
        wires = self._wires([before], each)
        if target in FUNCTIONS or (each.op == "call_method" and name in METHODS):
            return Layer(FUNCTIONS.get(target) or METHODS[name], inputs=wires)
        if each.op == "call_method" or getattr(target, "__module__", "").startswith("torch"):
            made = layer_of(name, rest, each.kwargs)
            if made is not None:
                return Layer(made.type, made.arguments, inputs=wires)
        made = reshaped(name, rest, each.kwargs, self.batches)
        if made is not None:
            return Layer(made.type, made.arguments, inputs=wires)
        raise InvalidSpecError("spec_read", type=name[:40], text=str(each)[:60])


def _is_torchs(module: nn.Module) -> bool:
    return type(module).__module__.startswith("torch.nn.modules")


OURS = {each.__name__: each for each in (*CUSTOM_LAYERS, *BLOCK_CLASSES.values())}


_forms: dict[str, set[object]] = {}


def _is_ours(module: nn.Module) -> bool:
    """Return whether a class is one of ours, by the code of its forward."""
    kind = type(module)
    code = getattr(kind.forward, "__code__", None)
    if kind in OURS.values():
        return True
    if not _forms:
        learn_our_classes(_execute)
    return code is not None and _form(code) in _forms.get(kind.__name__, ())


def learn_our_classes(execute: Callable[[str], Mapping[str, Any]]) -> None:
    """Learn what the code of our classes is, where a program is executed in a certain way.

    Args:
        execute: Executes a program and returns its names.
    """
    for name in (*custom_source.LAYERS, *custom_source.BLOCKS):
        text = "\n".join((*custom_source.imports(name), custom_source.class_source(name)))
        _forms.setdefault(name, set()).add(_form(execute(text)[name].forward.__code__))


def _execute(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(text, names)  # noqa: S102 - our own file
    return names


def _form(code: CodeType) -> object:
    """Return what is equal for code of the same text."""
    inside = (_form(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts)
    return code.co_code, code.co_names, tuple(inside)


def _layer(module: nn.Module, kind: str, held: Mapping[str, Any], place: dict[str, Any]) -> Layer:
    """Return a layer, if building it again makes an equal module."""
    try:
        layer = Layer(kind, held, **place)
        with torch.device("meta"):
            twin = assembled(Layer(kind, held))
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidSpecError("spec_read", type=kind[:40], text=str(error)[:60]) from None
    if repr(twin) != repr(module):
        raise InvalidSpecError("spec_read", type=kind[:40], text=repr(module)[:60])
    return layer


def _arguments(module: nn.Module, kind: str) -> dict[str, Value]:
    """Return the arguments with which a layer of torch was made; defaults are left out."""
    try:
        known = catalogue.layer(kind)
    except LookupError:
        raise InvalidSpecError("spec_unknown_layer", type=kind[:40]) from None
    if not known.example_inputs:
        raise InvalidSpecError("spec_read", type=kind[:40], text="a container is not called")
    own = _inside(module)
    held: dict[str, Value] = {}
    for argument in known.arguments:
        if argument.name not in own and not hasattr(module, argument.name):
            continue
        value = own.get(argument.name, getattr(module, argument.name, None))
        if argument.name == "bias" and not isinstance(value, bool):
            value = value is not None
        value = _plain(value)
        is_kernel = argument.name == "stride" and value == held.get("kernel_size")
        if is_kernel and argument.default is None:
            continue  # of a pooling layer: nothing says the same
        if argument.is_required or repr(value) != repr(argument.default):
            held[argument.name] = value
    return held


def _inside(module: nn.Module) -> dict[str, Any]:
    """Return arguments that a layer keeps in other names."""
    if isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
        attention, activation = module.self_attn, module.activation
        return {
            "d_model": attention.embed_dim,
            "nhead": attention.num_heads,
            "dim_feedforward": module.linear1.out_features,
            "dropout": module.dropout.p,
            "activation": "gelu" if activation is functional.gelu else "relu",
            "batch_first": attention.batch_first,
            "bias": module.linear1.bias is not None,
            "layer_norm_eps": module.norm1.eps,
            "norm_first": module.norm_first,
        }
    if isinstance(module, nn.MultiheadAttention):
        same = {
            name: None for name in ("kdim", "vdim") if getattr(module, name) == module.embed_dim
        }
        flags = {"bias": module.in_proj_bias is not None, "add_bias_kv": module.bias_k is not None}
        return {**same, **flags}
    return {}


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Size | tuple | list):
        items = tuple(_plain(item) for item in value)
        return items[0] if len(set(items)) == 1 and len(items) > 1 else items
    return value
