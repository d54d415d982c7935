"""Checks that a zip is one that torch.save wrote: names, encryption, compression, checksums."""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playground.checkpoints.inspect.verdicts import RefusedError, Verdict, display_text
from playground.checkpoints.inspect.zip_container import STORED, ZipEntry, list_zip, read_zip

_KNOWN = re.compile(
    r"data\.pkl|data/[0-9]{1,20}|version|byteorder"
    r"|\.format_version|\.storage_alignment|\.data/serialization_id",
    re.ASCII,
)


_VERSIONS = frozenset(f"{number}{end}".encode() for number in range(1, 11) for end in ("\n", ""))


@dataclass(frozen=True, slots=True)
class Archive:
    """The records of a checkpoint.

    Args:
        entries: All of them, in the order of the file.
        pickle: What describes the objects.
        version: Of the format, as written; empty where it is absent.
        storages: The bytes of each storage by its key, e.g. ``"0"``; views, not copies.
    """

    entries: tuple[ZipEntry, ...]
    pickle: memoryview
    version: bytes
    storages: Mapping[str, memoryview]


def open_archive(data: memoryview) -> Archive:
    """Judge the container, before anything in it is read.

    Raises:
        RefusedError: From BAD_ZIP to CRC.
    """
    listed = list_zip(data)
    _check_names([each.name for each in listed])
    for each in listed:
        if each.is_encrypted:
            raise RefusedError(Verdict.ENCRYPTED, name=display_text(each.name))
    root = _find_root([each.name for each in listed])
    names = [each.name.removeprefix(root) for each in listed]
    _refuse_programs(names)
    _check_records(names)
    entries = read_zip(data)
    for entry in entries:
        if entry.is_encrypted:  # its own header says so
            raise RefusedError(Verdict.ENCRYPTED, name=display_text(entry.name))
    _check_stored(entries, len(data))
    _check_sums(entries)
    records = {entry.name.removeprefix(root): entry for entry in entries}
    _check_byte_order(records)
    _check_remarks(records)
    storages = {
        name.removeprefix("data/"): entry.data
        for name, entry in records.items()
        if name.startswith("data/")
    }
    version = bytes(records["version"].data[:16]) if "version" in records else b""
    return Archive(entries, records["data.pkl"].data, version, storages)


def check_version(archive: Archive) -> None:
    """Refuse a file whose version of the format torch would not take.

    Raises:
        RefusedError: NOT_A_CHECKPOINT.
    """
    if archive.version not in _VERSIONS:
        raise RefusedError(Verdict.NOT_A_CHECKPOINT, "not_a_checkpoint_version")


def _check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        steps = name.split("/")
        if "\\" in name or "\0" in name or ".." in steps or not steps[0]:
            raise RefusedError(Verdict.BAD_NAMES, "bad_names_path", name=display_text(name))
        folded = name.casefold()  # torch's reader finds names regardless of their case
        if folded in seen:
            raise RefusedError(Verdict.DUP_NAMES, name=display_text(name))
        seen.add(folded)


def _find_root(names: Sequence[str]) -> str:
    """Return the one folder of the zip, with its slash."""
    pickles = [name for name in names if re.fullmatch(_PICKLE, name)]
    programs = [name for name in names if re.fullmatch(_PROGRAM, name)]
    if not pickles and not programs:
        raise other_zip(names)
    root = (pickles or programs)[0].split("/")[0] + "/"
    if any(not _is_text(name) for name in names):
        raise RefusedError(Verdict.BAD_ZIP)
    for name in names:
        if not name.startswith(root):
            raise RefusedError(Verdict.BAD_NAMES, name=display_text(name))
    return root


def _is_text(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


_PICKLE = re.compile(r"[^/]+/data\.pkl", re.DOTALL)
_PROGRAM = re.compile(r"[^/]+/(archive_format|models/.+\.json|constants\.pkl|code/.+)", re.DOTALL)


def _refuse_programs(names: Sequence[str]) -> None:
    if "archive_format" in names or any(name.startswith("models/") for name in names):
        raise RefusedError(Verdict.PT2)
    if "constants.pkl" in names or any(name.startswith("code/") for name in names):
        raise RefusedError(Verdict.TORCHSCRIPT)


def _check_records(names: Sequence[str]) -> None:
    for name in names:
        if not _KNOWN.fullmatch(name):
            raise RefusedError(Verdict.UNEXPECTED_ENTRY, name=display_text(name))
    if "data.pkl" not in names:
        raise RefusedError(Verdict.NOT_A_CHECKPOINT)


def _check_stored(entries: tuple[ZipEntry, ...], file_bytes: int) -> None:
    for entry in entries:
        if entry.method != STORED or entry.size != len(entry.data):
            raise RefusedError(Verdict.COMPRESSED, name=display_text(entry.name))
    if sum(entry.size for entry in entries) > file_bytes:
        raise RefusedError(Verdict.COMPRESSED, name="")


def _check_sums(entries: tuple[ZipEntry, ...]) -> None:
    has_sums = any(entry.crc for entry in entries)  # torch.save has an option to omit them
    for entry in entries:
        if zlib.crc32(entry.data) != entry.crc:
            raise RefusedError(
                Verdict.CRC, "" if has_sums else "crc_none", name=display_text(entry.name)
            )


def _check_byte_order(records: Mapping[str, ZipEntry]) -> None:
    order = records.get("byteorder")
    if order is not None and bytes(order.data[:16]) != b"little":
        raise RefusedError(Verdict.BYTE_ORDER)


def _check_remarks(records: Mapping[str, ZipEntry]) -> None:
    """Refuse what torch would stumble over in the records that it reads beside the pickle."""
    for name, pattern in _REMARKS.items():
        if name in records and not pattern.fullmatch(records[name].data):
            raise RefusedError(
                Verdict.UNEXPECTED_ENTRY, "unexpected_content", name=display_text(name)
            )


_REMARKS = {
    ".storage_alignment": re.compile(rb"[0-9]{1,20}"),
    ".data/serialization_id": re.compile(rb"[\x20-\x7e]{0,200}"),
}


_CHECKPOINTS = (".pt", ".pth", ".bin", ".ckpt", ".safetensors")
_MARKS = (  # a name that only zips of this kind hold
    ("[Content_Types].xml", "Office"),
    ("model.weights.h5", "Keras"),
    ("META-INF/MANIFEST.MF", "JAR"),
    ("AndroidManifest.xml", "APK"),
    ("mimetype", "OpenDocument / EPUB"),
)


def other_zip(names: Sequence[str]) -> RefusedError:
    """Return the refusal of a zip without a folder that holds a data.pkl.

    >>> other_zip(["a.npy", "b.npy"]).reason, other_zip(["model.pt"]).reason
    ('not_a_checkpoint_npz', 'not_a_checkpoint_around')
    """
    verdict = Verdict.NOT_A_CHECKPOINT
    if names and all(name.endswith(".npy") for name in names):
        return RefusedError(verdict, "not_a_checkpoint_npz")
    if any(name.endswith("/.data/extern_modules") for name in names):
        return RefusedError(verdict, "not_a_checkpoint_package")
    for name in names:
        if name.lower().endswith(_CHECKPOINTS):
            return RefusedError(verdict, "not_a_checkpoint_around", name=display_text(name))
    for mark, kind in _MARKS:
        if mark in names:
            return RefusedError(verdict, "not_a_checkpoint_named", name=kind)
    return RefusedError(verdict)
