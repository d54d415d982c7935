"""The static inspector: describes an uploaded file without running any of it.

Imports no torch, unpickles nothing, decompresses nothing. ``inspect`` gives a verdict on any
bytes, with remarks on an accepted file and its structure; ``disassemble`` lists what a pickle would
do.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice
from pathlib import PurePath

from playground.checkpoints.inspect.allow_list import (
    MAX_FILE_BYTES,
    MAX_PICKLE_BYTES,
    RefusedError,
    check_extent,
    format_limit,
    scan,
)
from playground.checkpoints.inspect.archive import MAGIC, VERSIONS, open_archive
from playground.checkpoints.inspect.disassembly import disassemble
from playground.checkpoints.inspect.formats import looks_like_safetensors, read_header, recognise
from playground.checkpoints.inspect.pickle_machine import run
from playground.checkpoints.inspect.results import (
    ITEM_BYTES,
    Entry,
    Format,
    Inspection,
    Kind,
    Node,
    Path,
    Sentence,
    Structure,
    Tensor,
    Verdict,
    display_path,
    display_text,
    sentence,
)
from playground.checkpoints.inspect.tree import Rebuilder, TreeReader, dict_kind

__all__ = ["Format", "Inspection", "Kind", "Sentence", "Verdict", "disassemble", "inspect"]

_MODEL_NAMES = ("model", "state_dict", "model_state_dict", "net", "network")
_VERDICTS_ON_ERROR = {
    Format.SAFETENSORS: Verdict.BAD_HEADER,
    Format.ZIP: Verdict.BAD_PICKLE,
    Format.UNKNOWN: Verdict.UNKNOWN,
}
_FORMATS_OF_VERDICTS = {Verdict.TORCHSCRIPT: Format.TORCHSCRIPT, Verdict.PT2: Format.PT2}
_SAFETENSORS_SUFFIX = ".safetensors"
_MAX_REMARKS_OF_A_KIND = 5
_ADVICE_BY_REASON = {
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
_ADVICE_BY_VERDICT = {
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


def inspect(data: bytes, file_name: str) -> Inspection:
    """Judge a file, and describe all that is in it, without running anything of it.

    The content decides; the name only serves a remark. Takes at most 20 MiB of memory beyond
    ``data``: the tensors' bytes are looked at where they are.

    Args:
        data: The whole file.
        file_name: What it was called, e.g. ``"mlp.params"``.

    Returns:
        A verdict for every file there is; no exception leaves this function.

    >>> found = inspect(b"", "empty.pt")
    >>> found.accepted, found.verdict.value
    (False, 'EMPTY')
    """
    found_format = Format.UNKNOWN
    try:
        view = memoryview(data)
        if not view:
            raise RefusedError(Verdict.EMPTY)
        if len(view) > MAX_FILE_BYTES:
            raise RefusedError(Verdict.TOO_BIG, size=len(view), most=format_limit(MAX_FILE_BYTES))
        if looks_like_safetensors(view):
            found_format = Format.SAFETENSORS
            return _inspect_safetensors(view, file_name)
        if bytes(view[:4]) == MAGIC:
            found_format = Format.ZIP
            return _inspect_zip(view, file_name)
        found_format, refused = recognise(view)
        raise refused
    except RefusedError as refused:
        return _refusal(refused, found_format, len(data))
    except Exception:  # noqa: BLE001 - the last line of defence: what is not understood is refused
        return _refusal(RefusedError(_VERDICTS_ON_ERROR[found_format]), found_format, len(data))


def _inspect_safetensors(view: memoryview, file_name: str) -> Inspection:
    tensors, entries, metadata = read_header(view)
    groups = _group_by_storage(tensors)
    return Inspection(
        verdict=Verdict.OK,
        format=Format.SAFETENSORS,
        why=sentence("reasons", "ok_safetensors", {"count": len(tensors)}),
        file_bytes=len(view),
        tensors=tensors,
        groups=groups,
        entries=entries,
        remarks=_find_remarks(tensors, groups, Format.SAFETENSORS, file_name),
        structure=_flat_structure(tensors),
        metadata=metadata,
    )


def _inspect_zip(view: memoryview, file_name: str) -> Inspection:
    archive = open_archive(view)
    if len(archive.pickle) > MAX_PICKLE_BYTES:
        most = format_limit(MAX_PICKLE_BYTES)
        raise RefusedError(Verdict.PICKLE_TOO_LONG, "pickle_too_large", most=most)
    rebuilder = Rebuilder(archive.storages)
    root, tensors = _read_pickle(bytes(archive.pickle), rebuilder)
    if archive.version not in VERSIONS:
        raise RefusedError(Verdict.NOT_A_CHECKPOINT, "not_a_checkpoint_version")
    groups = _group_by_storage(tensors)
    unused = archive.storages.keys() - rebuilder.used
    return Inspection(
        verdict=Verdict.OK,
        format=Format.TORCH,
        why=sentence("reasons", "ok_torch", {"count": len(tensors)}),
        file_bytes=len(view),
        tensors=tensors,
        groups=groups,
        entries=tuple(Entry(display_text(entry.name), entry.size) for entry in archive.entries),
        remarks=_find_remarks(
            tensors,
            groups,
            Format.TORCH,
            file_name,
            unused_bytes=sum(len(archive.storages[key]) for key in unused),
        ),
        structure=_describe(root),
    )


def _read_pickle(pickle: bytes, rebuilder: Rebuilder) -> tuple[Node, tuple[Tensor, ...]]:
    scan(pickle)
    value = run(pickle)
    check_extent(value)
    reader = TreeReader(rebuilder)
    root = reader.node(value)
    return root, tuple(reader.tensors)


def _group_by_storage(tensors: Iterable[Tensor]) -> dict[str, tuple[Path, ...]]:
    """Return the paths of tensors that share a storage, by storage."""
    paths: dict[str, list[Path]] = {}
    for tensor in tensors:
        if tensor.storage_bytes:
            paths.setdefault(tensor.storage, []).append(tensor.path)
    return {storage: tuple(found) for storage, found in paths.items() if len(found) > 1}


def _refusal(refused: RefusedError, found: Format, file_bytes: int) -> Inspection:
    values = {"verdict": refused.verdict.value, **refused.values}
    reason = sentence("reasons", refused.reason, values)
    advice = sentence("advice", advice_for(refused.verdict, refused.reason), values)
    known = _FORMATS_OF_VERDICTS.get(refused.verdict, found)
    return Inspection(
        verdict=refused.verdict, format=known, why=reason, instead=advice, file_bytes=file_bytes
    )


def _find_remarks(
    tensors: tuple[Tensor, ...],
    groups: Mapping[str, tuple[Path, ...]],
    found: Format,
    file_name: str,
    *,
    unused_bytes: int = 0,
) -> tuple[Sentence, ...]:
    """Say what a file holds that its owner may not expect.

    Args:
        tensors: All its tensors.
        groups: The paths of those that read one storage.
        found: What its content says it is.
        file_name: What its name says it is.
        unused_bytes: Of storages that no tensor reads.
    """
    remarks = []
    if not tensors:
        remarks.append(sentence("notes", "no_tensors"))
    is_named_safetensors = PurePath(file_name).suffix.lower() == _SAFETENSORS_SUFFIX
    if is_named_safetensors != (found is Format.SAFETENSORS):
        remarks.append(sentence("notes", f"named_otherwise_{found}"))
    remarks += _device_remarks(tensors)
    remarks += _view_remarks(tensors)
    remarks += _tie_remarks(groups)
    if unused_bytes:
        remarks.append(sentence("notes", "unused", {"size": unused_bytes}))
    return tuple(remarks)


def _device_remarks(tensors: tuple[Tensor, ...]) -> list[Sentence]:
    devices = sorted({tensor.device for tensor in tensors} - {"cpu"})
    return [sentence("notes", "device", {"device": device}) for device in devices]


def _view_remarks(tensors: tuple[Tensor, ...]) -> list[Sentence]:
    """Find storages of which all tensors together can reach only a part."""
    reached: dict[str, int] = {}
    for tensor in tensors:
        reached[tensor.storage] = reached.get(tensor.storage, 0) + _reached_bytes(tensor)
    found = (
        sentence(
            "notes",
            "view",
            {"name": tensor.name, "size": tensor.bytes, "storage": tensor.storage_bytes},
        )
        for tensor in tensors
        if reached[tensor.storage] < tensor.storage_bytes
    )
    return list(islice(found, _MAX_REMARKS_OF_A_KIND))


def _reached_bytes(tensor: Tensor) -> int:
    """Return an upper bound of the bytes of its storage that a tensor reads."""
    if 0 in tensor.shape:
        return 0
    return math.prod(compress(tensor.shape, tensor.stride)) * ITEM_BYTES[tensor.dtype]


def _tie_remarks(groups: Mapping[str, tuple[Path, ...]]) -> list[Sentence]:
    return [
        sentence(
            "notes", "tied", {"names": ", ".join(map(display_path, paths[:4])), "count": len(paths)}
        )
        for paths in islice(groups.values(), _MAX_REMARKS_OF_A_KIND)
    ]


def advice_for(verdict: Verdict, reason: str) -> str:
    """Return the key of the advice for a refusal.

    >>> advice_for(Verdict.FORBIDDEN_GLOBAL, "global_sparse"), advice_for(Verdict.PNG, "png")
    ('dense', 'other')
    """
    return _ADVICE_BY_REASON.get(reason) or _ADVICE_BY_VERDICT.get(verdict, "other")


def _describe(root: Node) -> Structure:
    """Find the model, the optimizer and the plain values in a tree."""
    return Structure(
        root=root,
        model=_find_model(root),
        optimizer=next((node.path for node in _walk(root) if node.kind is Kind.OPTIMIZER), None),
        values=tuple(node for node in _outside_optimizers(root) if node.kind is Kind.VALUE),
    )


def _flat_structure(tensors: Sequence[Tensor]) -> Structure:
    """Return the structure of a safetensors file, which is one dict of tensors."""
    children = tuple(Node(path=tensor.path, kind=Kind.TENSOR, type="Tensor") for tensor in tensors)
    return _describe(Node(path=(), kind=dict_kind(children), type="dict", children=children))


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
