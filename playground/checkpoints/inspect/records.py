"""The result of an inspection as frozen records, and the roles of the parts of a checkpoint."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TypeAlias

from playground.checkpoints.inspect.verdicts import (
    Format,
    Sentence,
    Verdict,
    display_path,
    display_text,
)

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


_WEIGHTS = ("weight", "bias")
_MODEL_NAMES = ("model", "state_dict", "model_state_dict", "net", "network")


def dict_kind(children: Sequence[Node], *, is_state_dict: bool = False) -> Kind:
    """Classify a dict by its children.

    Args:
        children: Its values, as nodes.
        is_state_dict: Whether it carries the versions that ``nn.Module.state_dict`` adds.
    """
    named = {child.path[-1]: child for child in children}
    groups = named.get("param_groups")
    if "state" in named and groups is not None and groups.kind is Kind.LIST:
        return Kind.OPTIMIZER
    if is_state_dict or _looks_like_state_dict(children):
        return Kind.STATE_DICT
    if any(child.kind in (Kind.STATE_DICT, Kind.OPTIMIZER) for child in children):
        return Kind.CHECKPOINT
    return Kind.DICT


def _looks_like_state_dict(children: Sequence[Node]) -> bool:
    """Return whether these are tensors under names as layers give them."""
    if not children or any(child.kind is not Kind.TENSOR for child in children):
        return False
    names = [child.path[-1] for child in children]
    if any(type(name) is not str for name in names):
        return False
    return any(str(name).rpartition(".")[2].startswith(_WEIGHTS) for name in names)


def describe(root: Node) -> Structure:
    """Find the model, the optimizer and the plain values in a tree."""
    return Structure(
        root=root,
        model=_find_model(root),
        optimizer=next((node.path for node in _walk(root) if node.kind is Kind.OPTIMIZER), None),
        values=tuple(node for node in _outside_optimizers(root) if node.kind is Kind.VALUE),
    )


def flat_structure(tensors: Sequence[Tensor]) -> Structure:
    """Return the structure of a safetensors file, which is one dict of tensors."""
    children = tuple(Node(path=tensor.path, kind=Kind.TENSOR, type="Tensor") for tensor in tensors)
    return describe(Node(path=(), kind=dict_kind(children), type="dict", children=children))


def _find_model(root: Node) -> Path | None:
    found = [node for node in _outside_optimizers(root) if node.kind is Kind.STATE_DICT]
    for name in _MODEL_NAMES:
        for node in found:
            if node.path and str(node.path[-1]).lower() == name:
                return node.path
    return found[0].path if found else None


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _outside_optimizers(node: Node) -> Iterator[Node]:
    if node.kind is Kind.OPTIMIZER:
        return
    yield node
    for child in node.children:
        yield from _outside_optimizers(child)
