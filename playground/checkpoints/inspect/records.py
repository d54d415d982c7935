"""What an inspection found, as frozen records; knows neither torch nor the bytes it came from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TypeAlias

from playground.checkpoints.inspect.sentences import Sentence
from playground.checkpoints.inspect.shown import dotted, shown
from playground.checkpoints.inspect.verdicts import Format, Verdict

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
        return dotted(self.path)

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """What its elements take, each counted once per index."""
        return self.numel * ITEM_BYTES[self.dtype]

    @property
    def is_view_of_more(self) -> bool:
        """Whether the storage holds more than this tensor."""
        return self.bytes < self.storage_bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """A named stretch of the file: a record of the zip, or header and data of safetensors."""

    name: str
    bytes: int


@unique
class Kind(StrEnum):
    """What a part of the file is."""

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
        return shown(str(self.path[-1])) if self.path else ""

    @property
    def full_name(self) -> str:
        """The whole path with dots, fit to be shown."""
        return dotted(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """How the file is built.

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
        """What the whole is."""
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
        """Whether the file may be loaded."""
        return self.verdict is Verdict.OK

    @property
    def reason(self) -> str:
        """Why, as a log wants it: the verdict and a sentence; ``why.text("zh")`` is for people."""
        return f"{self.verdict}: {self.why.text('en')}"

    @property
    def advice(self) -> str:
        """What to do instead, in English; empty where the file is accepted."""
        return self.instead.text("en") if self.instead else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The remarks, in English."""
        return tuple(remark.text("en") for remark in self.remarks)

    @property
    def ties(self) -> tuple[tuple[str, ...], ...]:
        """The groups of names that share one storage, in the order of the file."""
        return tuple(tuple(map(dotted, paths)) for paths in self.groups.values())
