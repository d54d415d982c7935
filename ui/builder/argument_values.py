"""Values of a layer's arguments as they are typed in a form, and back."""

import re

from playground.modules.layer_types import Argument, ArgumentKind
from playground.modules.spec import Value

NONE = "None"
SPLIT = re.compile(r"[\s,;×x]+")


def parse_value(given: object, argument: Argument) -> Value:
    """Convert a control's value into an argument.

    Raises:
        ValueError: Nothing that the argument could be.

    >>> padding = Argument(name="padding", kind=ArgumentKind.INTEGERS, choices=("same",))
    >>> parse_value("3, 5", padding), parse_value("3", padding), parse_value("same", padding)
    ((3, 5), 3, 'same')
    """
    if given is None or given == NONE or given == "":
        if argument.allows_none:
            return None
        raise ValueError(argument.name)
    match argument.kind:
        case ArgumentKind.SWITCH:
            return given in (True, "True")
        case ArgumentKind.INTEGER if isinstance(given, int | float):
            return int(given)
        case ArgumentKind.INTEGER:
            return int(str(given))
        case ArgumentKind.NUMBER:
            return float(str(given))
        case ArgumentKind.CHOICE | ArgumentKind.TEXT:
            return str(given)
        case ArgumentKind.MODULE:
            raise ValueError(argument.name)  # a layer is not typed in
    return _numbers(str(given), argument)


def _numbers(text: str, argument: Argument) -> Value:
    if text.strip() in argument.choices:
        return text.strip()
    kind = float if argument.kind is ArgumentKind.NUMBERS else int
    parts = [part for part in SPLIT.split(text.strip(" ()[]")) if part]
    numbers: tuple[Value, ...] = tuple(None if part == NONE else kind(part) for part in parts)
    is_single = len(numbers) == 1 and argument.kind is not ArgumentKind.INTEGER_TUPLE
    if not numbers:
        raise ValueError(argument.name)
    if is_single and 1 not in argument.lengths:
        return numbers[0]
    if argument.lengths and len(numbers) not in argument.lengths:
        raise ValueError(argument.name)
    return numbers


def value_text(value: Value) -> str:
    """Format a value as it is typed in.

    >>> value_text((3, 5)), value_text(3), value_text(None)
    ('3, 5', '3', '')
    """
    if value is None:
        return ""
    if isinstance(value, tuple) and not any(isinstance(item, tuple | str) for item in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else repr(value)
