"""Limits on the size of an inspected file and of everything in it."""

from typing import Final

from playground.sandbox.limits import LIMITS
from playground.units import format_bytes

FILE_BYTES: Final = LIMITS.file_bytes
HEADER_BYTES: Final = 2**20  # the JSON of a safetensors file
HEADER_PARTS: Final = 50_000  # colons of it, and brackets; a tensor has four and three
TENSORS: Final = 10_000
ENTRIES: Final = 2_000  # of a zip
PICKLE_BYTES: Final = 3 * 2**19
OPCODES: Final = 150_000
ELEMENTS: Final = 10**7  # of one tensor, even where its strides are 0; also of one dimension
RANK: Final = 64
TENSOR_BYTES: Final = 256 * 2**20  # of all tensors together, each counted whole
NODES: Final = 10_000  # counted by visits, so that an object met twice counts twice
DEPTH: Final = 20
MARKS: Final = 100  # open at once in a pickle; a level needs three at most
NAME_BYTES: Final = 512  # of an entry
KEY_CHARACTERS: Final = 1_000  # characters of a key
PATH_CHARACTERS: Final = 1_000  # of all keys together that lead to a value
TEXT_CHARACTERS: Final = 200  # characters shown of a text out of the file


def format_limit(cap_bytes: int) -> str:
    """Format a limit in bytes for a sentence.

    >>> format_limit(FILE_BYTES)
    '20 MiB'
    """
    return format_bytes(cap_bytes).replace(".00", "")
