"""What an initialiser is given: plain, finite, bounded; knows no torch."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from playground.compute.settings import Bounds, check_length, check_within
from playground.errors import InvalidSettingError
from playground.modules.initialiser_types import MOST_ARGUMENT, MOST_DIMENSIONS, MOST_VALUES

Scalar: TypeAlias = bool | int | float | str
Pairs: TypeAlias = tuple[tuple[str, Scalar], ...]
Given: TypeAlias = Mapping[str, Scalar] | Pairs

NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
MOST_LETTERS = 40
MOST_PAIRS = 8
SPLIT = re.compile(r"[\s,;×x()]+")
SEEDS = {"least": 0, "most": 2**32 - 1}
SEED_BOUNDS: Bounds = {"seed": {"least": 0, "most": 9999}}


def check_name(field: str, given: str) -> None:
    """Refuse what cannot be the name of a function.

    Raises:
        InvalidSettingError: With key ``length`` or ``choice``.
    """
    check_length(field, given, most=MOST_LETTERS)
    if not NAME.fullmatch(given):
        raise InvalidSettingError("choice", field=field, given=given, allowed="nn.init.…")


def checked(initializer: str, given: Given | Iterable[object]) -> Pairs:
    """Arguments as pairs, each of them bounded.

    Raises:
        InvalidSettingError: One is no plain number or word, or out of its range.

    >>> checked("normal_", {"std": 0.01})
    (('std', 0.01),)
    """
    if not isinstance(given, Mapping | tuple | list):
        raise InvalidSettingError("choice", field="arguments", given=given, allowed="{name: value}")
    told = given.items() if isinstance(given, Mapping) else given
    pairs: list[tuple[str, Scalar]] = []
    for pair in told:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InvalidSettingError(
                "choice", field="arguments", given=pair, allowed="(name, value)"
            )
        name, value = pair
        check_name("arguments", name)
        _check_value(initializer, name, value)
        pairs.append((name, value))
    if len(pairs) > MOST_PAIRS or len(dict(pairs)) < len(pairs):
        raise InvalidSettingError("bounds", field="arguments", given=len(pairs), least=0, most=8)
    return tuple(pairs)


def _check_value(initializer: str, name: str, value: object) -> None:
    if isinstance(value, str):
        check_length(name, value, most=MOST_LETTERS)
    elif isinstance(value, bool):
        return
    elif isinstance(value, int | float) and math.isfinite(value):
        least, most = BOUNDS.get((initializer, name), (-MOST_ARGUMENT, MOST_ARGUMENT))
        check_within(name, float(value), least=least, most=most)
    else:
        raise InvalidSettingError("choice", field=name, given=value, allowed="1.0, …")


# Where torch takes what makes no sense, without a word.
BOUNDS = {
    ("sparse_", "sparsity"): (0.0, 1.0),
    ("trunc_normal_", "std"): (0.0, MOST_ARGUMENT),
    ("dirac_", "groups"): (0.0, MOST_ARGUMENT),
}


def checked_shape(given: Iterable[int] | str) -> tuple[int, ...]:
    """A shape that may take memory.

    Raises:
        InvalidSettingError: With key ``bounds`` or ``choice``.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InvalidSettingError("choice", field="shape", given=given, allowed="(256, 20), …")
    shape = tuple(given)
    check_within("shape", len(shape), least=1, most=MOST_DIMENSIONS)
    for size in shape:
        check_within("shape", size, least=1, most=MOST_VALUES)
    check_within("shape", math.prod(shape), least=1, most=MOST_VALUES)
    return shape


def read_shape(text: str) -> tuple[int, ...]:
    """A shape as it is typed in.

    Raises:
        InvalidSettingError: It is no shape.

    >>> read_shape("(256, 20)"), read_shape("64 x 3 x 5 x 5")
    ((256, 20), (64, 3, 5, 5))
    """
    parts = [part for part in SPLIT.split(text) if part]
    if not parts or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise InvalidSettingError(
            "choice", field="shape", given=text, allowed="256, 20; 64, 3, 5, 5; …"
        )
    return checked_shape(map(int, parts))


def written(arguments: Pairs) -> str:
    """Arguments as a call has them.

    >>> written((("a", 2.0), ("mode", "fan_out")))
    "a=2.0, mode='fan_out'"
    """
    return ", ".join(f"{name}={value!r}" for name, value in arguments)


def check_seed(seed: int) -> None:
    """Refuse what is no seed."""
    check_within("seed", seed, **SEEDS)
