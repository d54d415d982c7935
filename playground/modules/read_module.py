"""Reads a module that a program has made as a network: its layers, blocks and wires.

Containers and layers are read from the modules themselves. Any other class is traced by
``torch.fx``: its forward runs once with stand-ins for its inputs.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import CodeType
from typing import Any

import torch
from torch import fx, nn
from torch.nn import functional
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import is_lazy

from playground.errors import InvalidSpecError
from playground.modules import catalogue, custom_source
from playground.modules.build.assemble import assembled
from playground.modules.build.known_layers import BLOCK_CLASSES, CUSTOM_LAYERS
from playground.modules.forward_tracer import ForwardTracer, first_calls
from playground.modules.layer_types import Argument, ArgumentKind
from playground.modules.read_forward import Wiring
from playground.modules.spec.network import InputSpec, Network
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import Shared, Value

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


def read_module(
    module: nn.Module, inputs: tuple[InputSpec, ...]
) -> tuple[Network, tuple[str, ...]]:
    """Return the network that a module is, without its weights.

    Args:
        module: Of any class.
        inputs: What it is called with.

    Returns:
        The network, and the names of the submodules that are not in it: no forward calls them.

    Raises:
        InvalidSpecError: Something in it is no layer and no wire, such as a loop over its data.
    """
    _check_ties(module)
    buffers = [(each, each.clone()) for each in module.buffers() if not is_lazy(each)]
    reader = _Reader(module, inputs)
    try:
        node = reader.node(module, "")
    finally:
        for buffer, before in buffers:  # a normalization layer counts each call
            buffer.copy_(before)
    root = node if isinstance(node, Block) else Block([node])
    network = Network(Block(root.children, kind=root.kind, dim=root.dim), inputs)
    return network, tuple(reader.uncalled)


def _check_ties(module: nn.Module) -> None:
    """Refuse layers that share a parameter, such as the embedding and the output layer of a GPT."""
    holders: dict[nn.Parameter, str] = {}
    for path, each in module.named_modules():
        for name, parameter in each.named_parameters(recurse=False):
            own = f"{path}.{name}".lstrip(".")
            if parameter in holders:
                raise InvalidSpecError("spec_tied", type=holders[parameter], text=own)
            holders[parameter] = own


class _Reader:
    """Reads modules; one that was read before is shared from then on.

    Args:
        module: The outermost one.
        inputs: What it is called with.

    Attributes:
        uncalled: The names of the submodules of traced classes that their forward does not call.
    """

    def __init__(self, module: nn.Module, inputs: tuple[InputSpec, ...]) -> None:
        self.module, self.given = module, len(inputs)
        self.paths: dict[nn.Module, str] = {}
        self.lazy: dict[nn.Module, Node] = {}
        self.uncalled: list[str] = []
        # The first call turns a lazy layer into another one.
        lazy = (each for each in module.modules() if isinstance(each, LazyModuleMixin))
        self.lazy = {each: self.node(each, "") for each in lazy if _is_torchs(each)}
        self.calls = first_calls(module, inputs)
        self.batch = next((each.shape[0] for each in inputs if each.shape), 1)

    def node(self, module: nn.Module, path: str, **place: Any) -> Node:
        """Return the node of a module at a path."""
        if module in self.paths:
            return Shared(self.paths[module], **{k: v for k, v in place.items() if k != "times"})
        if path:
            self.paths[module] = path
        if module in self.lazy:
            return replace(self.lazy[module], **place)
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
        tracer = ForwardTracer(self.calls.get(module, {}), self.batch)
        try:
            graph = tracer.trace(module)
        except InvalidSpecError:
            raise
        except Exception as error:  # noqa: BLE001 - a student's forward may raise anything
            text, line = " ".join(str(error).split())[:120], tracer.line_of(error)
            key = "spec_statement" if line else "spec_outputs"
            if isinstance(error, fx.proxy.TraceError) and "control flow" in text:
                key = "spec_depends"
            raise InvalidSpecError(key, text=text, line=line) from None
        wanted = sum(each.op == "placeholder" for each in graph.nodes)
        if module is self.module and wanted > self.given:
            raise InvalidSpecError("spec_inputs", given=self.given, most=wanted)
        block = Wiring(self.node, module, path).block(graph, place)
        self.uncalled += self._unread(module, path)
        return block

    def _unread(self, module: nn.Module, path: str) -> Iterator[str]:
        for name, child in module.named_children():
            below = f"{path}.{name}" if path else name
            if not any(each in self.paths for each in child.modules()):
                yield below
            elif child not in self.paths:  # such as an nn.ModuleList
                yield from self._unread(child, below)


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
    for name in custom_source.CLASSES:
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
        value = _plain(value, argument)
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


def _plain(value: Any, argument: Argument) -> Any:
    """Return a value as it is usually written: one number for the same in all dimensions."""
    if not isinstance(value, torch.Size | tuple | list):
        return value
    items = tuple(_plain(item, argument) for item in value)
    is_shape = argument.name == "normalized_shape" and len(items) > 1
    if is_shape or argument.kind is ArgumentKind.INTEGER_TUPLE or len(set(items)) != 1:
        return items
    return items[0]
