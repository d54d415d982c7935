"""The inspection itself: which check comes when; every check lives elsewhere."""

from playground.checkpoints.inspect import caps
from playground.checkpoints.inspect.advising import advice_for
from playground.checkpoints.inspect.archive import check_version, open_archive
from playground.checkpoints.inspect.foreign import recognise
from playground.checkpoints.inspect.machine import run
from playground.checkpoints.inspect.opcodes import scan
from playground.checkpoints.inspect.rebuilt import Rebuilder
from playground.checkpoints.inspect.records import Entry, Inspection, Node, Tensor
from playground.checkpoints.inspect.remarks import find_remarks
from playground.checkpoints.inspect.safetensors_header import looks_like_safetensors, read_header
from playground.checkpoints.inspect.sentences import sentence
from playground.checkpoints.inspect.shown import shown
from playground.checkpoints.inspect.structure import describe, flat_structure
from playground.checkpoints.inspect.tree import TreeReader, check_extent, grouped
from playground.checkpoints.inspect.verdicts import Format, RefusedError, Verdict
from playground.checkpoints.inspect.zip_container import MAGIC


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
        if len(view) > caps.FILE_BYTES:
            raise RefusedError(Verdict.TOO_BIG, size=len(view), most=caps.said(caps.FILE_BYTES))
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
    groups = grouped(tensors)
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
    if len(archive.pickle) > caps.PICKLE_BYTES:
        most = caps.said(caps.PICKLE_BYTES)
        raise RefusedError(Verdict.PICKLE_TOO_LONG, "pickle_too_large", most=most)
    rebuilder = Rebuilder(archive.storages)
    root, tensors = _read_pickle(bytes(archive.pickle), rebuilder)
    check_version(archive)
    groups = grouped(tensors)
    unused = archive.storages.keys() - rebuilder.used
    return Inspection(
        verdict=Verdict.OK,
        format=Format.TORCH,
        why=sentence("reasons", "ok_torch", {"count": len(tensors)}),
        file_bytes=len(view),
        tensors=tensors,
        groups=groups,
        entries=tuple(Entry(shown(entry.name), entry.size) for entry in archive.entries),
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
