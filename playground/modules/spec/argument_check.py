"""Checks the names and types of a layer's arguments. Free of torch.

Whether the values make sense together, torch decides.
"""

import re
from collections.abc import Callable, Iterable

from playground.errors import InvalidSpecError
from playground.modules.layer_types import Argument, ArgumentKind
from playground.modules.spec.nodes import Layer, inner_layer
from playground.modules.spec.parts import MAX_TIMES, Value

LAYER_COUNT = re.compile(r"num_(\w+_)?layers")  # copies, made by the layer itself


def check_arguments(layer: Layer, arguments: Iterable[Argument], path: str = "") -> None:
    """Refuse arguments that the class does not have, or not of this type.

    Args:
        layer: What was described.
        arguments: What its class takes.
        path: Where the layer stands, to name it in a refusal.

    Raises:
        InvalidSpecError: One is unknown, missing or of a wrong type.
    """
    known = {argument.name: argument for argument in arguments}
    for name, value in layer.arguments:
        if name not in known:
            raise InvalidSpecError(
                "spec_unknown_argument", path=path, type=layer.type, argument=name
            )
        if LAYER_COUNT.fullmatch(name) and isinstance(value, int) and value > MAX_TIMES:
            raise InvalidSpecError(
                "spec_times", path=path, type=layer.type, argument=name, most=MAX_TIMES
            )
        if not fits(value, known[name]):
            raise InvalidSpecError(
                "spec_wrong_type", path=path, type=layer.type, argument=name, given=shown(value)
            )
    for name, argument in known.items():
        if argument.is_required and name not in layer.keywords:
            raise InvalidSpecError(
                "spec_missing_argument", path=path, type=layer.type, argument=name
            )


def fits(value: Value, argument: Argument) -> bool:
    """Return whether a value is of a type that an argument takes.

    >>> fits(True, Argument(name="in_features", kind=ArgumentKind.INTEGER))
    False
    """
    if value is None:
        return argument.allows_none or (argument.default is None and not argument.is_required)
    if argument.choices and value in argument.choices:
        return True
    if argument.kind is ArgumentKind.CHOICE and argument.choices:
        return False
    return any(is_one(value) for is_one in TYPES[argument.kind])


def shown(value: Value) -> str:
    """Write a value as short code for an error message."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _is_integer(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_switch(value: Value) -> bool:
    return isinstance(value, bool)


def _is_text(value: Value) -> bool:
    return isinstance(value, str)


def _are_integers(value: Value) -> bool:
    # A size of None keeps what is there: nn.AdaptiveAvgPool2d((None, 7)).
    return isinstance(value, tuple) and all(item is None or _is_integer(item) for item in value)


def _are_numbers(value: Value) -> bool:
    return isinstance(value, tuple) and all(item is None or _is_number(item) for item in value)


def _is_layer(value: Value) -> bool:
    return inner_layer(value) is not None


TYPES: dict[ArgumentKind, tuple[Callable[[Value], bool], ...]] = {
    ArgumentKind.INTEGER: (_is_integer,),
    ArgumentKind.NUMBER: (_is_number,),
    ArgumentKind.SWITCH: (_is_switch,),
    ArgumentKind.CHOICE: (_is_text,),
    ArgumentKind.TEXT: (_is_text,),
    ArgumentKind.INTEGERS: (_is_integer, _are_integers),
    ArgumentKind.NUMBERS: (_is_number, _are_numbers),
    ArgumentKind.INTEGER_TUPLE: (_are_integers,),
    ArgumentKind.MODULE: (_is_layer,),
}
