"""JSON from strangers: bounded, no name twice, no NaN; knows nothing of networks."""

import json

from playground.errors import InvalidSpecError

MOST_CHARACTERS = 200_000
MOST_DIGITS = 24  # more than any 64-bit number has


def write(told: object) -> str:
    """As one line of ASCII."""
    return json.dumps(told, allow_nan=False)


def read(text: str) -> object:
    """Read JSON that may come from anywhere.

    Raises:
        InvalidSpecError: It is too long or no JSON.
    """
    if not isinstance(text, str):
        raise InvalidSpecError("spec_not_json")
    if len(text) > MOST_CHARACTERS:
        raise InvalidSpecError("spec_too_long", given=len(text), most=MOST_CHARACTERS)
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
    told = dict(pairs)
    if len(told) < len(pairs):
        raise InvalidSpecError("spec_not_json")
    return told


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise InvalidSpecError("spec_not_json")
    return int(digits)


def _no_number(_: str) -> object:
    raise InvalidSpecError("spec_not_json")
