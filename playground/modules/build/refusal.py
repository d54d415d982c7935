"""What torch refuses to construct, as a refusal of the spec, in torch's own words."""

import re

from playground.errors import InvalidSpecError
from playground.modules.build.size import MOST_PARAMETERS
from playground.modules.spec.nodes import Layer
from playground.modules.spec.values import Value

MOST_CHARACTERS = 300


def refusal(error: Exception, layer: Layer, path: str) -> InvalidSpecError:
    """Say which layer it was, and which argument where torch's words name one.

    >>> told = ValueError("in_channels must be divisible by groups")
    >>> refusal(told, Layer.of("Conv2d", groups=3), "0").values["argument"]
    'groups'
    """
    if isinstance(error, InvalidSpecError) and error.key != "spec_too_many_parameters":
        given, most = error.values["given"], error.values["most"]
        return InvalidSpecError(error.key, path=path, type=layer.type, given=given, most=most)
    if isinstance(error, InvalidSpecError):
        return _too_large(layer, path, error.values["given"])
    text = " ".join(str(error).split())[:MOST_CHARACTERS] or type(error).__name__
    if "overflow" in text:  # of the memory's size in bytes
        return _too_large(layer, path, "2 ** 63")
    words = set(re.findall(r"-?[\w.]+", text))
    named = [name for name in layer.keywords if name in words] or [
        name for name, value in layer.arguments if repr(value) in words
    ]
    if len(named) > 1:  # of several numbers the one that is odd
        odd = {name for name, value in layer.arguments if _is_below_one(value)}
        named = [name for name in named if name in odd] or named
    if not named and "zero" in words:
        named = [name for name, value in layer.arguments if value == 0 and value is not False]
    return InvalidSpecError(
        "spec_refused", path=path, type=layer.type, argument=", ".join(named), text=text
    )


def _too_large(layer: Layer, path: str, given: object) -> InvalidSpecError:
    sizes = {name: _largest(value) for name, value in layer.arguments if _largest(value)}
    return InvalidSpecError(
        "spec_too_many_parameters",
        path=path,
        type=layer.type,
        argument=max(sizes, key=sizes.__getitem__, default=""),
        given=given,
        most=MOST_PARAMETERS,
    )


def _is_below_one(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value <= 0


def _largest(value: Value) -> int:
    """The largest integer in a value; 0 where there is none."""
    if isinstance(value, tuple):
        return max(map(_largest, value), default=0)
    return value if isinstance(value, int) else 0
