"""Layers that are typed as code: ``Conv2d(6, 5), Sigmoid, AvgPool2d(2)``; nothing is executed.

A size that follows from the input may be left out, as with lazy layers: ``Linear(120)``.
"""

import ast
from collections.abc import Iterator, Mapping

from playground.errors import InvalidSpecError
from playground.modules.layer_types import LayerType
from playground.modules.spec.argument_check import check_arguments
from playground.modules.spec.lazy import WITHOUT
from playground.modules.spec.nodes import Layer
from playground.modules.spec.parts import MAX_SHOWN

MAX_CHARACTERS = 2000
MAX_TYPED = 64
ALIASES = {
    "dense": "Linear",
    "fc": "Linear",
    "conv": "Conv2d",
    "maxpool": "MaxPool2d",
    "avgpool": "AvgPool2d",
    "batchnorm": "BatchNorm2d",
    "norm": "LayerNorm",
    "attention": "MultiheadAttention",
}


def typed_layers(text: str, known: Mapping[str, LayerType]) -> tuple[Layer, ...]:
    """Read layers that were typed; the text may come from anywhere.

    Args:
        text: Names or calls of layers, with commas or lines between them.
        known: The layers that there are, by name.

    Raises:
        InvalidSpecError: It is no such text, or a layer or an argument is not known.

    >>> from playground.modules.layer_types import Group, LayerType
    >>> relu = LayerType(name="ReLU", group=Group.ACTIVATION, summary="")
    >>> [layer.type for layer in typed_layers("nn.ReLU(), relu", {"ReLU": relu})]
    ['ReLU', 'ReLU']
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidSpecError("spec_too_long", given=len(text), most=MAX_CHARACTERS)
    try:
        module = ast.parse(text.strip().rstrip(","), mode="exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidSpecError("spec_typed", given=text[:MAX_SHOWN]) from None
    names = {name.lower(): name for name in known} | {each: ALIASES[each] for each in ALIASES}
    found = tuple(_layer(node, names, known) for node in _nodes(module))
    if not 1 <= len(found) <= MAX_TYPED:
        raise InvalidSpecError("spec_typed", given=text[:MAX_SHOWN])
    return found


def _nodes(module: ast.Module) -> Iterator[ast.expr]:
    for statement in module.body:
        if not isinstance(statement, ast.Expr):
            raise InvalidSpecError("spec_typed", given=ast.unparse(statement)[:MAX_SHOWN])
        value = statement.value
        yield from value.elts if isinstance(value, ast.Tuple) else (value,)


def _layer(node: ast.expr, names: Mapping[str, str], known: Mapping[str, LayerType]) -> Layer:
    called = node.func if isinstance(node, ast.Call) else node
    given = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    kind = known.get(names.get(given.lower(), given))
    if kind is None:
        raise InvalidSpecError("spec_unknown_layer", type=(given or ast.unparse(node))[:MAX_SHOWN])
    values: dict[str, object] = {}
    try:
        places = [ast.literal_eval(each) for each in getattr(node, "args", ())]
        values = {
            each.arg or "": ast.literal_eval(each.value) for each in getattr(node, "keywords", ())
        }
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise InvalidSpecError("spec_typed", given=ast.unparse(node)[:MAX_SHOWN]) from None
    order = [each.name for each in kind.arguments if not each.is_keyword_only]
    required = [each.name for each in kind.required if each.name not in values]
    follows = WITHOUT.get(kind.name)
    if follows in required and len(places) < len(required):
        order.remove(follows)
    if len(places) > len(order):
        raise InvalidSpecError("spec_typed", given=ast.unparse(node)[:MAX_SHOWN])
    values = dict(zip(order, places, strict=False)) | values
    ready = dict(kind.example_arguments)
    missing = {each.name: ready[each.name] for each in kind.required if each.name not in values}
    ordered = sorted({**missing, **values}.items(), key=lambda pair: _place(kind, pair[0]))
    layer = Layer(kind.name, ordered)  # type: ignore[arg-type]  # frozen, or refused
    check_arguments(layer, kind.arguments)
    return layer


def _place(kind: LayerType, name: str) -> int:
    names = [each.name for each in kind.arguments]
    return names.index(name) if name in names else len(names)
