"""Verdicts on a file, and the sentences that explain them in both languages.

A verdict has a reason (a key of the table ``reasons`` in words.toml) and an advice (``advice``).
Text from the file is cut and escaped by ``display_text`` before it is put into a sentence.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cache
from pathlib import Path

import tomli

from playground.checkpoints.inspect import limits
from playground.sandbox.text import OBEYED


@unique
class Verdict(StrEnum):
    """The result of an inspection; everything but ``OK`` is a refusal."""

    OK = "OK"
    EMPTY = "EMPTY"
    TOO_BIG = "TOO_BIG"
    # safetensors
    BAD_HEADER = "BAD_HEADER"
    DUP_KEYS = "DUP_KEYS"
    BAD_DTYPE = "BAD_DTYPE"
    BAD_LAYOUT = "BAD_LAYOUT"
    # the zip container
    BAD_ZIP = "BAD_ZIP"
    TOO_MANY_ENTRIES = "TOO_MANY_ENTRIES"
    DUP_NAMES = "DUP_NAMES"
    BAD_NAMES = "BAD_NAMES"
    ENCRYPTED = "ENCRYPTED"
    NOT_A_CHECKPOINT = "NOT_A_CHECKPOINT"
    TORCHSCRIPT = "TORCHSCRIPT"
    PT2 = "PT2"
    UNEXPECTED_ENTRY = "UNEXPECTED_ENTRY"
    BYTE_ORDER = "BYTE_ORDER"
    COMPRESSED = "COMPRESSED"
    CRC = "CRC"
    # the pickle inside
    PICKLE_TOO_LONG = "PICKLE_TOO_LONG"
    PICKLE_OPCODE = "PICKLE_OPCODE"
    PICKLE_TRAILING = "PICKLE_TRAILING"
    FORBIDDEN_GLOBAL = "FORBIDDEN_GLOBAL"
    BAD_PICKLE = "BAD_PICKLE"
    # what the pickle describes
    BAD_TENSOR = "BAD_TENSOR"
    BAD_KEYS = "BAD_KEYS"
    TOO_MANY_ELEMENTS = "TOO_MANY_ELEMENTS"
    TOO_MANY_BYTES = "TOO_MANY_BYTES"
    TOO_MANY_NODES = "TOO_MANY_NODES"
    TOO_DEEP = "TOO_DEEP"
    # other kinds of file
    LFS_POINTER = "LFS_POINTER"
    HTML = "HTML"
    PNG = "PNG"
    TAR = "TAR"
    SEVEN_ZIP = "SEVEN_ZIP"
    NPY = "NPY"
    LEGACY = "LEGACY"
    PICKLE_NOT_TORCH = "PICKLE_NOT_TORCH"
    UNKNOWN = "UNKNOWN"


@unique
class Format(StrEnum):
    """The format of a file, judged by its bytes and never by its name."""

    TORCH = "torch"
    SAFETENSORS = "safetensors"
    TORCHSCRIPT = "torchscript"
    PT2 = "pt2"
    ZIP = "zip"
    LEGACY = "legacy"
    PICKLE = "pickle"
    TAR = "tar"
    SEVEN_ZIP = "7z"
    NPY = "npy"
    PNG = "png"
    HTML = "html"
    LFS_POINTER = "lfs_pointer"
    UNKNOWN = "unknown"


class RefusedError(Exception):
    """A file is refused; never leaves the inspector.

    Args:
        verdict: Which class of refusal.
        reason: Which sentence of words.toml says why; the verdict's own unless given.
        values: What the sentence mentions. Texts out of the file are made presentable there.
    """

    def __init__(self, verdict: Verdict, reason: str = "", **values: str | int) -> None:
        super().__init__(verdict, reason, values)
        self.verdict = verdict
        self.reason = reason or verdict.lower()
        self.values = values


_BY_REASON = {
    "global_sparse": "dense",
    "global_quantized": "dense",
    "global_nested": "nested",
    "global_meta": "meta",
    "global_dtype": "dtype",
    "global_subclass": "plain_tensors",
    "global_storage": "plain_tensors",
    "global_numpy": "plain_values",
    "global_python": "plain_values",
    "global_program": "do_not_load",
    "bad_tensor_flags": "resolved",
    "bad_tensor_bare": "plain_tensors",
    "bad_tensor_device": "device",
    "pickle_protocol": "again",
    "not_a_checkpoint_npz": "npz",
    "not_a_checkpoint_package": "state_dict",
    "not_a_checkpoint_around": "unpack",
    "crc_none": "checksums",
    "bad_header_text": "other",
    "unknown_packed": "unpack",
    "tar_other": "unpack",
}
_BY_VERDICT = {
    Verdict.FORBIDDEN_GLOBAL: "state_dict",
    Verdict.TORCHSCRIPT: "state_dict",
    Verdict.PT2: "state_dict",
    Verdict.LEGACY: "resave",
    Verdict.TAR: "resave",
    Verdict.COMPRESSED: "original",
    Verdict.ENCRYPTED: "original",
    Verdict.UNEXPECTED_ENTRY: "original",
    Verdict.BAD_NAMES: "original",
    Verdict.DUP_NAMES: "original",
    Verdict.LFS_POINTER: "download",
    Verdict.HTML: "download",
    Verdict.EMPTY: "damaged",
    Verdict.BAD_ZIP: "damaged",
    Verdict.CRC: "damaged",
    Verdict.BAD_HEADER: "damaged",
    Verdict.BAD_LAYOUT: "damaged",
    Verdict.BAD_DTYPE: "dtype",
    Verdict.TOO_BIG: "smaller",
    Verdict.TOO_MANY_ELEMENTS: "smaller",
    Verdict.TOO_MANY_BYTES: "smaller",
    Verdict.TOO_MANY_NODES: "simpler",
    Verdict.TOO_DEEP: "simpler",
    Verdict.TOO_MANY_ENTRIES: "simpler",
    Verdict.PICKLE_TOO_LONG: "simpler",
    Verdict.BAD_KEYS: "keys",
    Verdict.BYTE_ORDER: "byte_order",
    Verdict.NPY: "npy",
    Verdict.SEVEN_ZIP: "unpack",
    Verdict.BAD_TENSOR: "damaged",
    Verdict.BAD_PICKLE: "damaged",
    Verdict.DUP_KEYS: "damaged",
    Verdict.PICKLE_NOT_TORCH: "do_not_load",
}


def advice_for(verdict: Verdict, reason: str) -> str:
    """Return the key of the advice for a refusal.

    >>> advice_for(Verdict.FORBIDDEN_GLOBAL, "global_sparse"), advice_for(Verdict.PNG, "png")
    ('dense', 'other')
    """
    return _BY_REASON.get(reason) or _BY_VERDICT.get(verdict, "other")


_FILE = Path(__file__).with_name("words.toml")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as an id with values; the words are looked up when it is said.

    Args:
        table: The part of words.toml, e.g. ``"reasons"``.
        key: Which sentence of it.
        values: What it mentions; texts out of the file are already fit to be shown.
    """

    table: str
    key: str
    values: tuple[tuple[str, str | int], ...] = ()

    def text(self, language: str) -> str:
        """Say it in ``"en"`` or ``"zh"``.

        >>> Sentence("reasons", "empty").text("en")
        'The file is empty.'
        """
        shown = {name: f"{value:,}" if type(value) is int else value for name, value in self.values}
        if shown.get("name") == "":  # no key: the file is that one tensor
            shown["name"] = words()["names"]["whole"][language]
        return words()[self.table][self.key][language].format(**shown)


def sentence(table: str, key: str, values: Mapping[str, str | int] | None = None) -> Sentence:
    """Make a sentence with its values."""
    return Sentence(table, key, tuple((values or {}).items()))


@cache
def words() -> dict[str, dict[str, dict[str, str]]]:
    """Read all sentences, by table, key and language."""
    return tomli.loads(_FILE.read_text("utf-8"))


_UNFIT = re.compile(f"[\t\n{OBEYED}]")  # what a file names has one line
_ESCAPES = {
    ord(letter): f"\\x{ord(letter):02x}" if letter < "\x80" else ascii(letter)[1:-1]
    for letter in _UNFIT.findall("".join(map(chr, range(2**16))))
}


def display_text(text: str) -> str:
    r"""Cut a text at 200 characters and escape control characters, for display.

    >>> display_text("layer.weight"), display_text("a\x1b[31m"), len(display_text("x" * 1000))
    ('layer.weight', 'a\\x1b[31m', 200)
    """
    cut = text if len(text) <= limits.TEXT_CHARACTERS else text[: limits.TEXT_CHARACTERS - 1] + "…"
    escaped = cut.translate(_ESCAPES) if _UNFIT.search(cut) else cut
    return (
        escaped
        if len(escaped) <= limits.TEXT_CHARACTERS
        else escaped[: limits.TEXT_CHARACTERS - 1] + "…"
    )


def display_path(path: tuple[str | int, ...]) -> str:
    """Join the keys and indices of a path with dots, for display.

    >>> display_path(("model", "0.weight")), display_path(("layers", 2))
    ('model.0.weight', 'layers.2')
    """
    return display_text(".".join(str(step)[: limits.TEXT_CHARACTERS + 1] for step in path))
