"""Reads the recorded calls of one forward as nodes with wires."""

import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from torch import Tensor, fx, nn

from playground.errors import InvalidSpecError
from playground.modules.forward_tracer import EXAMPLE, LINE
from playground.modules.read_functions import (
    FUNCTIONS,
    JOINS,
    METHODS,
    UNCHANGED,
    layer_of,
    reshaped,
)
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind
from playground.modules.spec.wires import MAX_WIRES, Wire

MAX_SHOWN = 60


class Wiring:
    """Turns the calls of one forward into nodes with wires.

    Args:
        read: Reads a module at a path as a node.
        module: Whose forward it is.
        path: Of the module.
    """

    def __init__(self, read: Callable[..., Node], module: nn.Module, path: str) -> None:
        self.read, self.module, self.path = read, module, path
        self.nodes: list[Node] = []
        self.values: dict[fx.Node, Wire] = {}
        self.taken: set[str] = set()

    def block(self, graph: fx.Graph, place: dict[str, Any]) -> Block:
        """Return the block of all calls."""
        count = 0
        for each in graph.nodes:
            if each.op == "placeholder":
                count += 1
                self.values[each] = Wire(f"#{count}")
            elif each.op == "output":
                self._end(each.args[0])
            elif each.op == "get_attr":
                continue  # refused where it is used
            elif each.target is operator.getitem and isinstance(each.args[1], int):
                before = self._wire(each.args[0], each)
                self.values[each] = Wire(before.source, (*before.items, each.args[1]))
            elif (same := self._unchanged(each)) is not None:
                self.values[each] = self._wire(same, each)
            else:
                self._add(each)
        return Block(self.nodes, **place)

    def _unchanged(self, each: fx.Node) -> fx.Node | None:
        """Return the value that a call hands on as it is, such as ``sum`` its first one."""
        if each.target in (operator.add, operator.iadd) and 0 in each.args:
            return next((value for value in each.args if isinstance(value, fx.Node)), None)
        if each.op != "call_method" or each.target not in UNCHANGED:
            return None
        before = each.args[0]
        example = each.meta.get(EXAMPLE)
        is_same = example is not None and example is before.meta.get(EXAMPLE)
        return before if is_same or each.target == "contiguous" else None

    def _end(self, value: Any) -> None:
        """Let the block return a value, or several: those of its last node."""
        if isinstance(value, tuple | list) and value:
            wires = [self._output(each) for each in value]
            self.nodes.append(Block([], kind=BlockKind.TUPLE, inputs=self._short(wires)))
            return
        wire = self._output(value)
        if self.nodes and wire == Wire(self._name(len(self.nodes) - 1)):
            return
        is_item = len(wire.items) > 0
        node = Layer("Item", {"index": wire.items}) if is_item else Layer("Identity")
        self.nodes.append(Layer(node.type, node.arguments, inputs=(Wire(wire.source),)))

    def _output(self, value: Any) -> Wire:
        if not isinstance(value, fx.Node) or value not in self.values:
            shown = getattr(value, "target", None) or type(value).__name__
            raise InvalidSpecError("spec_outputs", text=str(shown)[:MAX_SHOWN])
        return self.values[value]

    def _name(self, number: int) -> str:
        return self.nodes[number].name or str(number)

    def _add(self, each: fx.Node) -> None:
        number = len(self.nodes)
        if each.op == "call_module":
            made = self.module.get_submodule(str(each.target))
            own = str(each.target).replace(".", "_").strip("_")
            name = None if own.isdigit() or own in self.taken else own
            self.taken.add(own)
            wires = self._wires(list(self._given(made, each)), each)
            below = name or str(number)
            path = f"{self.path}.{below}" if self.path else below
            self.nodes.append(self.read(made, path, name=name, inputs=wires))
        else:
            self.nodes.append(self._function(each))
        self.values[each] = Wire(self._name(number))

    def _given(self, made: nn.Module, each: fx.Node) -> Iterator[Any]:
        """Yield what a module is given, in its order; what changes nothing is left out.

        Raises:
            InvalidSpecError: An argument is given that no wire can give.
        """
        parameters = inspect.signature(made.forward).parameters
        bound = inspect.signature(made.forward).bind_partial(*each.args, **each.kwargs).arguments
        is_complete = True  # so far none was left out
        for name, parameter in parameters.items():
            value = bound.get(name, parameter.default)
            if isinstance(value, tuple) and parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                yield from value
            elif isinstance(value, fx.Node) and is_complete:
                yield value
            elif name not in bound or value is parameter.default or self._is_void(made, name, each):
                is_complete = False
            else:
                kind = type(made).__name__
                self._refuse(each, "spec_argument_given", type=kind, argument=name)

    def _is_void(self, made: nn.Module, name: str, each: fx.Node) -> bool:
        """Return whether an argument changes nothing that is used."""
        if isinstance(made, nn.MultiheadAttention) and name == "need_weights":
            return True
        if name != "output_size" or not isinstance(each.meta.get(EXAMPLE), Tensor):
            return False
        given = [value.meta.get(EXAMPLE) for value in each.all_input_nodes]
        return bool(made(*given).shape == each.meta.get(EXAMPLE).shape)

    def _wires(self, given: Sequence[Any], each: fx.Node) -> tuple[Wire, ...]:
        """Return the wires of a call."""
        if len(given) > MAX_WIRES:
            raise InvalidSpecError("spec_too_many_wires", type=_called(each), most=MAX_WIRES)
        return self._short([self._wire(value, each) for value in given])

    def _wire(self, value: Any, each: fx.Node) -> Wire:
        if isinstance(value, fx.Node) and value.op == "get_attr":
            self._refuse(each, "spec_made_tensor", text=str(value.target).lstrip("_"))
        if not isinstance(value, fx.Node) or value not in self.values:
            self._refuse(each)
        return self.values[value]

    def _short(self, wires: Sequence[Wire]) -> tuple[Wire, ...]:
        """Write what comes from the node before as ``-``."""
        last = self._name(len(self.nodes) - 1) if self.nodes else "#1"
        return tuple(Wire("-", wire.items) if wire.source == last else wire for wire in wires)

    def _function(self, each: fx.Node) -> Node:
        target: Any = each.target
        if target in JOINS:
            return self._join(each, BlockKind(JOINS[target]))
        if not each.args:
            self._refuse(each)
        name = str(getattr(target, "__name__", target))
        before, *rest = each.args
        wires = self._wires([before], each)
        if target in FUNCTIONS or (each.op == "call_method" and name in METHODS):
            if rest or each.kwargs.keys() - {"inplace"}:
                self._refuse(each)
            return Layer(FUNCTIONS.get(target) or METHODS[name], inputs=wires)
        made = None
        if each.op == "call_method" or getattr(target, "__module__", "").startswith("torch"):
            made = layer_of(name, rest, each.kwargs)
        made = made or reshaped(
            name, rest, each.kwargs, before.meta.get(EXAMPLE), each.meta.get(EXAMPLE)
        )
        if made is None:
            self._refuse(each)
        return Layer(made.type, made.arguments, inputs=wires)

    def _join(self, each: fx.Node, kind: BlockKind) -> Block:
        is_cat = kind is BlockKind.CONCATENATE
        parts = each.args[0] if is_cat else each.args
        dim = each.kwargs.get("dim", each.args[1] if is_cat and len(each.args) > 1 else 0)
        if each.kwargs.keys() - {"dim"} or not isinstance(parts, tuple | list):
            self._refuse(each)
        return Block([], kind=kind, dim=dim, inputs=self._wires(parts, each))

    def _refuse(self, each: fx.Node, key: str = "spec_statement", **values: str) -> NoReturn:
        """Refuse a call, with its line of the program.

        Raises:
            InvalidSpecError: Always.
        """
        values.setdefault("text", _called(each))
        raise InvalidSpecError(key, line=each.meta.get(LINE, 0), **values)


def _called(each: fx.Node) -> str:
    """Return the name of what is called."""
    return str(getattr(each.target, "__name__", each.target))[:MAX_SHOWN]
