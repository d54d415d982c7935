"""A layer as an argument of another layer: the pair of its class and its arguments."""

from playground.modules.spec.nodes import Layer
from playground.modules.spec.values import Value


def inner_layer(value: Value) -> Layer | None:
    """The layer that a value describes; None where it is any other value.

    Raises:
        InvalidSpecError: A name in it cannot stand in a program.

    >>> inner_layer(("TransformerEncoderLayer", (("d_model", 8), ("nhead", 2)))).type
    'TransformerEncoderLayer'
    """
    if not isinstance(value, tuple) or len(value) != 2:
        return None
    type, pairs = value
    if not isinstance(type, str) or not isinstance(pairs, tuple):
        return None
    arguments: list[tuple[str, Value]] = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            return None
        arguments.append((str(pair[0]), pair[1]))
    return Layer(type, arguments)
