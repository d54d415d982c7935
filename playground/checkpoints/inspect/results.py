"""The result of an inspection: a verdict, the sentences that explain it, and what the file holds.

A verdict has a reason (a key of the table ``reasons`` in words.toml) and an advice (``advice``).
Text from the file is cut and escaped by ``display_text`` before it is put into a sentence.
"""

import math
import pathlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from functools import cache
from typing import Final, TypeAlias

import tomli

from playground.sandbox.text import OBEYED

Path: TypeAlias = tuple[str | int, ...]

ITEM_BYTES = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "complex64": 8,
    "complex128": 16,
}
MAX_TEXT_CHARACTERS: Final = 200  # characters shown of a text out of the file
_UNFIT = re.compile(f"[\t\n{OBEYED}]")  # what a file names has one line
_ESCAPES = {
    ord(letter): f"\\x{ord(letter):02x}" if letter < "\x80" else ascii(letter)[1:-1]
    for letter in _UNFIT.findall("".join(map(chr, range(2**16))))
}


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
    return tomli.loads(pathlib.Path(__file__).with_name("words.toml").read_text("utf-8"))


def display_text(text: str) -> str:
    r"""Cut a text at 200 characters and escape control characters, for display.

    >>> display_text("layer.weight"), display_text("a\x1b[31m"), len(display_text("x" * 1000))
    ('layer.weight', 'a\\x1b[31m', 200)
    """
    cut = text if len(text) <= MAX_TEXT_CHARACTERS else text[: MAX_TEXT_CHARACTERS - 1] + "…"
    escaped = cut.translate(_ESCAPES) if _UNFIT.search(cut) else cut
    return (
        escaped if len(escaped) <= MAX_TEXT_CHARACTERS else escaped[: MAX_TEXT_CHARACTERS - 1] + "…"
    )


def display_path(path: Path) -> str:
    """Join the keys and indices of a path with dots, for display.

    >>> display_path(("model", "0.weight")), display_path(("layers", 2))
    ('model.0.weight', 'layers.2')
    """
    return display_text(".".join(str(step)[: MAX_TEXT_CHARACTERS + 1] for step in path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """One tensor, as the file describes it.

    Args:
        path: The keys and places that lead to it, exactly as in the file; empty where the file is
            one tensor.
        shape: Its sizes.
        dtype: As torch names it, e.g. ``"float32"``.
        stride: Elements from one index to the next, per dimension.
        offset: Elements of the storage before its first one.
        storage: Which storage it reads; tensors with the same one are tied.
        storage_bytes: The size of that storage in the file.
        device: Where it was saved from, e.g. ``"cuda:0"``.
        requires_grad: Whether it asks for gradients.
        is_parameter: Whether it was saved as an ``nn.Parameter``.
    """

    path: Path
    shape: tuple[int, ...]
    dtype: str
    stride: tuple[int, ...]
    offset: int = 0
    storage: str
    storage_bytes: int
    device: str = "cpu"
    requires_grad: bool = False
    is_parameter: bool = False

    @property
    def name(self) -> str:
        """The path with dots, fit to be shown: ``"model.0.weight"``; empty for a lone tensor."""
        return display_path(self.path)

    @property
    def numel(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """The bytes of its elements, each counted once per index."""
        return self.numel * ITEM_BYTES[self.dtype]

    @property
    def is_view_of_more(self) -> bool:
        """True if the storage holds more than this tensor."""
        return self.bytes < self.storage_bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """A named stretch of the file: a record of the zip, or header and data of safetensors."""

    name: str
    bytes: int


@unique
class Kind(StrEnum):
    """The kind of a part of the file."""

    TENSOR = "tensor"
    LIST = "list"
    TUPLE = "tuple"
    DICT = "dict"
    STATE_DICT = "state_dict"
    OPTIMIZER = "optimizer"
    CHECKPOINT = "checkpoint"  # a dict that holds a state_dict beside other things
    VALUE = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A part of the file and the parts in it.

    Args:
        path: As of a tensor.
        kind: What it is.
        type: The Python type, e.g. ``"OrderedDict"`` or ``"int"``.
        text: A plain value as Python writes it, cut at 200 characters; else empty.
        children: What a container holds, in its order.
    """

    path: Path
    kind: Kind
    type: str
    text: str = ""
    children: tuple["Node", ...] = ()

    @property
    def name(self) -> str:
        """The last step of the path, fit to be shown."""
        return display_text(str(self.path[-1])) if self.path else ""

    @property
    def full_name(self) -> str:
        """The whole path with dots, fit to be shown."""
        return display_path(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The structure of a file.

    Args:
        root: The whole as a tree.
        model: The path of the state_dict of the model, where there is one.
        optimizer: The path of the optimizer's state_dict, where there is one.
        values: The plain values outside the optimizer: epoch, loss, names.
    """

    root: Node
    model: Path | None = None
    optimizer: Path | None = None
    values: tuple[Node, ...] = ()

    @property
    def kind(self) -> Kind:
        return self.root.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """The verdict on a file, and, where it is accepted, all that it holds.

    Args:
        verdict: ``OK`` or the class of refusal.
        format: What kind of file it is.
        why: The sentence why.
        instead: The sentence what to do instead; None where the file is accepted.
        file_bytes: How large the file is.
        tensors: In the order of the file.
        groups: The paths of the tensors that read one storage, where there are several, by storage.
        entries: What the file is made of.
        remarks: What is worth knowing about an accepted file.
        structure: How an accepted file is built.
        metadata: Texts that the file carries about itself, cut at 200 characters.
    """

    verdict: Verdict
    format: Format
    why: Sentence
    instead: Sentence | None = None
    file_bytes: int = 0
    tensors: tuple[Tensor, ...] = ()
    groups: Mapping[str, tuple[Path, ...]] = field(default_factory=dict, repr=False)
    entries: tuple[Entry, ...] = ()
    remarks: tuple[Sentence, ...] = ()
    structure: Structure | None = None
    metadata: tuple[tuple[str, str], ...] = ()

    @property
    def accepted(self) -> bool:
        return self.verdict is Verdict.OK

    @property
    def reason(self) -> str:
        """Why, as a log wants it: the verdict and a sentence; ``why.text("zh")`` is for people."""
        return f"{self.verdict}: {self.why.text('en')}"

    @property
    def advice(self) -> str:
        """The advice in English; empty where the file is accepted."""
        return self.instead.text("en") if self.instead else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The remarks, in English."""
        return tuple(remark.text("en") for remark in self.remarks)

    @property
    def ties(self) -> tuple[tuple[str, ...], ...]:
        """The groups of names that share one storage, in the order of the file."""
        return tuple(tuple(map(display_path, paths)) for paths in self.groups.values())
