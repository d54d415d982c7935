"""The inspection: the order of the checks, and the remarks on an accepted file.

Files of other programs are recognised by their first bytes, so that a refusal can name them.
"""

import codecs
import math
import re
from collections.abc import Iterable, Mapping
from itertools import compress, islice
from pathlib import PurePath

from playground.checkpoints.inspect import limits
from playground.checkpoints.inspect.allow_list import scan
from playground.checkpoints.inspect.archive import check_version, open_archive
from playground.checkpoints.inspect.disassembly import announces_pickle, is_old_pickle
from playground.checkpoints.inspect.pickle_machine import run
from playground.checkpoints.inspect.records import (
    ITEM_BYTES,
    Entry,
    Inspection,
    Node,
    Path,
    Tensor,
    describe,
    flat_structure,
)
from playground.checkpoints.inspect.safetensors_header import looks_like_safetensors, read_header
from playground.checkpoints.inspect.tree import (
    Rebuilder,
    TreeReader,
    check_extent,
)
from playground.checkpoints.inspect.verdicts import (
    Format,
    RefusedError,
    Sentence,
    Verdict,
    advice_for,
    display_path,
    display_text,
    sentence,
)
from playground.checkpoints.inspect.zip_container import END_BYTES, END_MAGIC, MAGIC

_LEGACY_MAGIC = bytes.fromhex("6cfc9c46f9206aa85019")  # torch.serialization.MAGIC_NUMBER
_OTHER_FORMATS = (  # first bytes, their offset, format, verdict
    (b"version https://git-lfs", 0, Format.LFS_POINTER, Verdict.LFS_POINTER),
    (b"\x89PNG\r\n\x1a\n", 0, Format.PNG, Verdict.PNG),
    (b"ustar", 257, Format.TAR, Verdict.TAR),
    (b"7z\xbc\xaf\x27\x1c", 0, Format.SEVEN_ZIP, Verdict.SEVEN_ZIP),
    (b"\x93NUMPY", 0, Format.NPY, Verdict.NPY),
)
# Told by name in the sentence; no verdict of their own.
_NAMED = (
    (b"\x89HDF\r\n\x1a\n", "HDF5"),
    (b"GGUF", "GGUF"),
    (b"%PDF-", "PDF"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"\x7fELF", "ELF"),
    (b"MZ", "EXE"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"RIFF", "RIFF (WebP, WAV)"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Arrow"),
    (b"lmgg", "GGML"),
    (b"tjgg", "GGML"),
)
_NAMED_LATER = ((b"TFL3", "TFLite"), (b"ET12", "ExecuTorch"), (b"ftyp", "MP4"))  # at the 5th byte
_PACKED = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "LZ4"),
    (b"Rar!\x1a\x07", "RAR"),
)
# As torch, TensorFlow and others write it: the version of the format, then who wrote the file.
_ONNX = re.compile(rb"\x08[\x01-\x20](\x12[\x01-\x7f][A-Za-z]|(\x12\x00)?:)", re.DOTALL)
# At any level of compression; its first bytes alone could be a text such as "x^2".
_ZLIB = re.compile(rb"x[\x01\x5e\x9c\xda].{0,30}?[^\t\n\r\x20-\x7e]", re.DOTALL)
_TAR_NAME_BYTES = 100
_OF_TORCH = frozenset({b"sys_info", b"pickle", b"tensors", b"storages"})
_HTML = (b"<!doctype html", b"<html", b"<head", b"<!--", b"<?xml", b"<body")
_BLANKS = b"\xef\xbb\xbf \t\r\n"


def recognise(data: memoryview) -> tuple[Format, RefusedError]:
    """Name the kind of a file that is neither safetensors nor a zip."""
    head = bytes(data[:512])
    for magic, at, found, verdict in _OTHER_FORMATS:
        if head.startswith(magic, at):
            reason = "tar_other" if found is Format.TAR and not _is_of_torch(head) else ""
            return found, RefusedError(verdict, reason)
    if head.lstrip(_BLANKS).lower().startswith(_HTML):
        return Format.HTML, RefusedError(Verdict.HTML)
    if head.startswith(b"\x80") and _LEGACY_MAGIC in head[:32]:
        return Format.LEGACY, RefusedError(Verdict.LEGACY)
    if announces_pickle(data) or is_old_pickle(data):
        return Format.PICKLE, RefusedError(Verdict.PICKLE_NOT_TORCH)
    if head.startswith(END_MAGIC) and len(data) == END_BYTES:
        return Format.ZIP, RefusedError(Verdict.NOT_A_CHECKPOINT)  # a zip with nothing in it
    if bytes(data[-END_BYTES : 4 - END_BYTES]) == END_MAGIC:
        return Format.ZIP, RefusedError(Verdict.BAD_ZIP)
    return Format.UNKNOWN, _named(data, head)


def _is_of_torch(head: bytes) -> bool:
    return head[:_TAR_NAME_BYTES].rstrip(b"\0").rpartition(b"/")[2] in _OF_TORCH


def _named(data: memoryview, head: bytes) -> RefusedError:
    """Return the refusal of a format that has no verdict of its own."""
    for magic, name in _PACKED:
        if head.startswith(magic):
            return RefusedError(Verdict.UNKNOWN, "unknown_packed", name=name)
    if _ZLIB.match(head):
        return RefusedError(Verdict.UNKNOWN, "unknown_packed", name="zlib")
    for magic, name in _NAMED:
        if head.startswith(magic):
            return RefusedError(Verdict.UNKNOWN, "unknown_named", name=name)
    for magic, name in _NAMED_LATER:
        if head.startswith(magic, 4):
            return RefusedError(Verdict.UNKNOWN, "unknown_named", name=name)
    if _ONNX.match(head):
        return RefusedError(Verdict.UNKNOWN, "unknown_named", name="ONNX")
    ends = head.lstrip(_BLANKS)[:1] + bytes(data[-64:]).rstrip(_BLANKS)[-1:]
    if ends in (b"{}", b"[]"):
        return RefusedError(Verdict.UNKNOWN, "unknown_named", name="JSON")
    return _as_text(head)


def _as_text(head: bytes) -> RefusedError:
    """Return the refusal that quotes the first line if the bytes are a text."""
    try:
        text, _ = codecs.utf_8_decode(head)  # built in: nothing is imported; cuts at a whole letter
    except UnicodeDecodeError:
        return RefusedError(Verdict.UNKNOWN)
    lines = [each.strip() for each in text.lstrip("\ufeff").splitlines() if each.strip()]
    if not lines or not all(each.replace("\t", " ").isprintable() for each in lines):
        return RefusedError(Verdict.UNKNOWN)
    return RefusedError(Verdict.UNKNOWN, "unknown_text", line=display_text(lines[0]))


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
        if len(view) > limits.FILE_BYTES:
            raise RefusedError(
                Verdict.TOO_BIG, size=len(view), most=limits.format_limit(limits.FILE_BYTES)
            )
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
        return _refusal(RefusedError(_UNREADABLE[found_format]), found_format, len(data))


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
        remarks=find_remarks(tensors, groups, Format.SAFETENSORS, file_name),
        structure=flat_structure(tensors),
        metadata=metadata,
    )


def _inspect_zip(view: memoryview, file_name: str) -> Inspection:
    archive = open_archive(view)
    if len(archive.pickle) > limits.PICKLE_BYTES:
        most = limits.format_limit(limits.PICKLE_BYTES)
        raise RefusedError(Verdict.PICKLE_TOO_LONG, "pickle_too_large", most=most)
    rebuilder = Rebuilder(archive.storages)
    root, tensors = _read_pickle(bytes(archive.pickle), rebuilder)
    check_version(archive)
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
        remarks=find_remarks(
            tensors,
            groups,
            Format.TORCH,
            file_name,
            unused_bytes=sum(len(archive.storages[key]) for key in unused),
        ),
        structure=describe(root),
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
    known = _FORMATS.get(refused.verdict, found)
    return Inspection(
        verdict=refused.verdict, format=known, why=reason, instead=advice, file_bytes=file_bytes
    )


_UNREADABLE = {
    Format.SAFETENSORS: Verdict.BAD_HEADER,
    Format.ZIP: Verdict.BAD_PICKLE,
    Format.UNKNOWN: Verdict.UNKNOWN,
}
_FORMATS = {Verdict.TORCHSCRIPT: Format.TORCHSCRIPT, Verdict.PT2: Format.PT2}
_SAFETENSORS_SUFFIX = ".safetensors"
_MAX_REMARKS_OF_A_KIND = 5


def find_remarks(
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
    remarks += _of_devices(tensors)
    remarks += _of_views(tensors)
    remarks += _of_ties(groups)
    if unused_bytes:
        remarks.append(sentence("notes", "unused", {"size": unused_bytes}))
    return tuple(remarks)


def _of_devices(tensors: tuple[Tensor, ...]) -> list[Sentence]:
    devices = sorted({tensor.device for tensor in tensors} - {"cpu"})
    return [sentence("notes", "device", {"device": device}) for device in devices]


def _of_views(tensors: tuple[Tensor, ...]) -> list[Sentence]:
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


def _of_ties(groups: Mapping[str, tuple[Path, ...]]) -> list[Sentence]:
    return [
        sentence(
            "notes", "tied", {"names": ", ".join(map(display_path, paths[:4])), "count": len(paths)}
        )
        for paths in islice(groups.values(), _MAX_REMARKS_OF_A_KIND)
    ]
