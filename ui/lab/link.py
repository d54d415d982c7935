"""A program as a short text for a link, and back; the text may come from anywhere."""

import base64
import binascii
import re
import zlib

from playground.sandbox.limits import LIMITS

FROM, CODE = "from", "code"  # in the address: a start by its id, and a text
MOST_CHARACTERS = 4000  # browsers and servers take addresses of this length
MOST_BYTES = 4 * LIMITS.source_characters  # no letter takes more than four
ALPHABET = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def to_link(source: str) -> str | None:
    """Compress a program into letters that an address takes as they stand.

    Returns:
        None where it is too long for a link; a file takes it.

    >>> from_link(to_link("print('你好')"))
    "print('你好')"
    """
    if len(source) > LIMITS.source_characters:
        return None
    packed = zlib.compress(source.encode("utf-8", "replace"), level=9)
    text = base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    return text if len(text) <= MOST_CHARACTERS else None


def from_link(text: str) -> str | None:
    """Read what ``to_link`` wrote; no more is unpacked than a program may have.

    Returns:
        None where the text is damaged, or no program of a bearable length.

    >>> from_link("AAAA") is None
    True
    """
    if len(text) > MOST_CHARACTERS or not ALPHABET.fullmatch(text):
        return None
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacking = zlib.decompressobj()
        told = unpacking.decompress(packed, MOST_BYTES)
        source = told.decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        return None
    is_whole = unpacking.eof and not unpacking.unused_data
    if not is_whole or len(source) > LIMITS.source_characters or "\0" in source:
        return None
    return source
