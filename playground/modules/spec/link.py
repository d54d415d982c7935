"""Encodes a network as a short text for a link, and decodes untrusted text.

A link may end in a number of steps, ``….75``: the network with the weights that it has after them,
in the training of ``modules.toy_training``. Weights do not travel, they are computed again.
"""

import base64
import binascii
import re
import zlib

from playground.errors import InvalidSpecError
from playground.modules.spec import json_text
from playground.modules.spec.network import Network

MAX_CHARACTERS = 4000  # browsers and servers take addresses of this length
ALPHABET = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)
TRAINED = re.compile(r"\.([1-9][0-9]{0,2})$", re.ASCII)
PART_STEPS = 25  # a training is a number of such parts
MAX_STEPS = 300


def to_link(network: Network) -> str:
    """Compress a network into letters that an address takes as they stand.

    Raises:
        InvalidSpecError: It is too long for a link; a file takes it.
    """
    packed = zlib.compress(network.to_json().encode("ascii"), level=9)
    text = base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    most = MAX_CHARACTERS - len(f".{MAX_STEPS}")
    if len(text) > most:
        raise InvalidSpecError("spec_link_too_long", given=len(text), most=most)
    return text


def trained_steps(link: str) -> int:
    """Return how many steps the network of a link has been trained; 0 for one that is new.

    Raises:
        InvalidSpecError: No training takes so many.

    >>> trained_steps("eJxyz"), trained_steps("eJxyz.75")
    (0, 75)
    """
    found = TRAINED.search(link)
    steps = int(found[1]) if found else 0
    if steps > MAX_STEPS or steps % PART_STEPS:
        raise InvalidSpecError("spec_link")
    return steps


def from_link(text: str) -> Network:
    """Read the network that ``to_link`` wrote; no more is unpacked than its JSON may have.

    Raises:
        InvalidSpecError: The text is damaged, or no network.
    """
    if not isinstance(text, str) or len(text) > MAX_CHARACTERS:
        raise InvalidSpecError("spec_link")
    if trained_steps(text):
        text = TRAINED.sub("", text)
    if not ALPHABET.fullmatch(text):
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
