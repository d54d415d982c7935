"""Keeps an answer within the bytes that it may have."""

import json
from collections.abc import Iterable, Iterator
from typing import TypeVar

from playground.sandbox import schema

T = TypeVar("T")


def fitting_in(room: int, records: Iterable[T]) -> Iterator[T]:
    """The first records, as many as fit into so many bytes of JSON; later ones are never made."""
    for each in records:
        room -= len(json.dumps(schema.write(each))) + 2  # with a comma and a space
        if room < 0:
            return
        yield each
