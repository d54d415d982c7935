"""Encodes a network as a short text for a link, and decodes untrusted text."""

import base64
import binascii
import re
import zlib

from playground.errors import InvalidSpecError
from playground.modules.spec import json_text
from playground.modules.spec.network import Network

MAX_CHARACTERS = 4000  # browsers and servers take addresses of this length
ALPHABET = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)


def to_link(network: Network) -> str:
    """Compress a network into letters that an address takes as they stand.

    Raises:
        InvalidSpecError: It is too long for a link; a file takes it.
    """
    packed = zlib.compress(network.to_json().encode("ascii"), level=9)
    text = base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    if len(text) > MAX_CHARACTERS:
        raise InvalidSpecError("spec_link_too_long", given=len(text), most=MAX_CHARACTERS)
    return text


def from_link(text: str) -> Network:
    """Read what ``to_link`` wrote; no more is unpacked than a network's JSON may have.

    Raises:
        InvalidSpecError: The text is damaged, or no network.
    """
    if not isinstance(text, str) or len(text) > MAX_CHARACTERS or not ALPHABET.fullmatch(text):
        raise InvalidSpecError("spec_link")
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacking = zlib.decompressobj()
        unpacked = unpacking.decompress(packed, json_text.MAX_CHARACTERS)
        is_whole = unpacking.eof and not unpacking.unused_data
        plain = unpacked.decode("ascii")
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        raise InvalidSpecError("spec_link") from None
    if not is_whole:
        raise InvalidSpecError("spec_link")
    return Network.from_json(plain)
