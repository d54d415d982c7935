"""Bounded JSON from untrusted sources: no duplicate keys, no NaN."""

import json

from playground.errors import InvalidSpecError

MAX_CHARACTERS = 200_000
MAX_DIGITS = 24  # more than any 64-bit number has


def write(value: object) -> str:
    """Write JSON as one line of ASCII."""
    return json.dumps(value, allow_nan=False)


def read(text: str) -> object:
    """Read JSON that may come from anywhere.

    Raises:
        InvalidSpecError: It is too long or no JSON.
    """
    if not isinstance(text, str):
        raise InvalidSpecError("spec_not_json")
    if len(text) > MAX_CHARACTERS:
        raise InvalidSpecError("spec_too_long", given=len(text), most=MAX_CHARACTERS)
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_int=_integer,
        )
    except (ValueError, RecursionError) as error:  # nested too deep is no network either
        if isinstance(error, InvalidSpecError):
            raise
        raise InvalidSpecError("spec_not_json") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidSpecError("spec_not_json")
    return found


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InvalidSpecError("spec_not_json")
    return int(digits)


def _no_number(_: str) -> object:
    raise InvalidSpecError("spec_not_json")
