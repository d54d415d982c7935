"""The zip of a checkpoint, read strictly, and accepted only as torch.save writes it.

Readers of zip files disagree about files that contradict themselves, so none of those is accepted:
the end record ends the file, the directory precedes it, and the entries fill what lies before,
each local header agreeing with the directory. Names, encryption, compression and checksums are
checked. Nothing is copied or decompressed.

Source: PKWARE's APPNOTE.TXT, sections 4.3.6 to 4.3.16.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from playground.checkpoints.inspect.allow_list import MAX_ENTRIES, MAX_NAME_BYTES, RefusedError
from playground.checkpoints.inspect.results import Verdict, display_text

MAGIC = b"PK\x03\x04"
STORED = 0
END_MAGIC = b"PK\x05\x06"
END_BYTES = 22

_END = struct.Struct("<4s4H2IH")  # disk, directory's disk, entries here, entries, size, offset
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64 = struct.Struct("<4sIQI")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_LOCAL = struct.Struct("<4s5H3I2H")
_DESCRIPTOR = struct.Struct("<4s3I")
_DESCRIPTOR_64 = struct.Struct("<4sI2Q")

_Listed: TypeAlias = tuple[tuple[int, ...], bytes]  # a record of the directory, and its name

_ENCRYPTED = 0x2041  # encrypted; strongly encrypted; directory masked
_UTF8 = 0x800
_IS_FOLDER = 0x10  # torch would leave the memory for such an entry as it found it
_DEFLATED_HOW = 0x6
_DESCRIBED = 0x8  # sizes and checksum follow the data

_FLAGS = _ENCRYPTED | _UTF8 | _DEFLATED_HOW | _DESCRIBED  # with any other, readers differ
_RECORD_NAMES = re.compile(
    r"data\.pkl|data/[0-9]{1,20}|version|byteorder"
    r"|\.format_version|\.storage_alignment|\.data/serialization_id",
    re.ASCII,
)
VERSIONS = frozenset(f"{number}{end}".encode() for number in range(1, 11) for end in ("\n", ""))
_PICKLE = re.compile(r"[^/]+/data\.pkl", re.DOTALL)
_PROGRAM = re.compile(r"[^/]+/(archive_format|models/.+\.json|constants\.pkl|code/.+)", re.DOTALL)
_REMARKS = {
    ".storage_alignment": re.compile(rb"[0-9]{1,20}"),
    ".data/serialization_id": re.compile(rb"[\x20-\x7e]{0,200}"),
}
_CHECKPOINT_SUFFIXES = (".pt", ".pth", ".bin", ".ckpt", ".safetensors")
_OTHER_ZIPS = (  # a name that only zips of this kind hold
    ("[Content_Types].xml", "Office"),
    ("model.weights.h5", "Keras"),
    ("META-INF/MANIFEST.MF", "JAR"),
    ("AndroidManifest.xml", "APK"),
    ("mimetype", "OpenDocument / EPUB"),
)


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One file of the zip.

    Args:
        name: As written, with slashes.
        method: How it is compressed; 0 is not at all.
        flags: Of the directory and of the local header, together.
        crc: The checksum of the data.
        size: Of the data when unpacked.
        data: The data as it lies in the file; a view, not a copy.
    """

    name: str
    method: int
    flags: int
    crc: int
    size: int
    data: memoryview

    @property
    def is_encrypted(self) -> bool:
        """True if a password is needed."""
        return bool(self.flags & _ENCRYPTED)


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
    full_names = [name for name, _ in listed]
    _check_names(full_names)
    _refuse_encrypted(listed)
    root = _find_root(full_names)
    names = [name.removeprefix(root) for name in full_names]
    _refuse_programs(names)
    _check_records(names)
    entries = read_zip(data)
    _refuse_encrypted((entry.name, entry.is_encrypted) for entry in entries)  # by local headers
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


def _refuse_encrypted(listed: Iterable[tuple[str, bool]]) -> None:
    for name, is_encrypted in listed:
        if is_encrypted:
            raise RefusedError(Verdict.ENCRYPTED, name=display_text(name))


def _find_root(names: Sequence[str]) -> str:
    """Return the one folder of the zip, with its slash."""
    pickles = [name for name in names if re.fullmatch(_PICKLE, name)]
    programs = [name for name in names if re.fullmatch(_PROGRAM, name)]
    if not pickles and not programs:
        raise other_zip(names)
    root = (pickles or programs)[0].split("/")[0] + "/"
    if any("\ud800" <= character <= "\udfff" for name in names for character in name):
        raise RefusedError(Verdict.BAD_ZIP)
    for name in names:
        if not name.startswith(root):
            raise RefusedError(Verdict.BAD_NAMES, name=display_text(name))
    return root


def _refuse_programs(names: Sequence[str]) -> None:
    if "archive_format" in names or any(name.startswith("models/") for name in names):
        raise RefusedError(Verdict.PT2)
    if "constants.pkl" in names or any(name.startswith("code/") for name in names):
        raise RefusedError(Verdict.TORCHSCRIPT)


def _check_records(names: Sequence[str]) -> None:
    for name in names:
        if not _RECORD_NAMES.fullmatch(name):
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
        if name.lower().endswith(_CHECKPOINT_SUFFIXES):
            return RefusedError(verdict, "not_a_checkpoint_around", name=display_text(name))
    for mark, kind in _OTHER_ZIPS:
        if mark in names:
            return RefusedError(verdict, "not_a_checkpoint_named", name=kind)
    return RefusedError(verdict)


def list_zip(data: memoryview) -> list[tuple[str, bool]]:
    """Read the directory of any program's zip, and nothing else of it; it is not verified yet.

    Returns:
        Each name, and whether a password would be needed. Bytes of a name that are no UTF-8 become
        lone surrogates.

    Raises:
        RefusedError: BAD_ZIP, BAD_NAMES or TOO_MANY_ENTRIES.
    """
    try:
        listed, _ = _read_directory(data)
    except struct.error as error:
        raise RefusedError(Verdict.BAD_ZIP) from error
    return [
        (name.decode("utf-8", "surrogateescape"), bool(fields[3] & _ENCRYPTED))
        for fields, name in listed
    ]


def read_zip(data: memoryview) -> tuple[ZipEntry, ...]:
    """Read the entries of a zip, in the order in which they lie in the file.

    Raises:
        RefusedError: BAD_ZIP, BAD_NAMES or TOO_MANY_ENTRIES.
    """
    try:
        listed, start = _read_directory(data)
        return _read_local(data, listed, start)
    except (struct.error, UnicodeDecodeError) as error:
        raise RefusedError(Verdict.BAD_ZIP) from error


def _find_directory(data: memoryview) -> tuple[int, int, int]:
    """Return the offset of the directory, that of its end, and the number of its entries."""
    end = len(data) - END_BYTES
    _require(end >= 0)
    magic, disk, first_disk, here, count, size, start, comment = _END.unpack_from(data, end)
    _require(magic == END_MAGIC and disk == first_disk == comment == 0 and here == count)
    locator = end - _LOCATOR_64.size
    if locator >= 0 and bytes(data[locator : locator + 4]) == b"PK\x06\x07":
        end = _check_end_64(data, locator, (count, size, start))
    _require(start + size == end)
    return start, end, count


def _check_end_64(data: memoryview, locator: int, expected: tuple[int, int, int]) -> int:
    """Return the offset of the 64-bit end record, which must agree with the 32-bit one."""
    _, disk, start, disks = _LOCATOR_64.unpack_from(data, locator)
    _require(disk == 0 and disks == 1 and start == locator - _END_64.size)
    magic, size, _, _, disk, first_disk, here, *found = _END_64.unpack_from(data, start)
    _require(magic == b"PK\x06\x06" and size == _END_64.size - 12 and disk == first_disk == 0)
    _require(here == expected[0] and tuple(found) == expected)
    return int(start)


def _read_directory(data: memoryview) -> tuple[list[_Listed], int]:
    """Read the entries of the directory in the order of the file, and the directory's offset."""
    start, end, count = _find_directory(data)
    if count > MAX_ENTRIES:
        raise RefusedError(Verdict.TOO_MANY_ENTRIES, count=count, most=MAX_ENTRIES)
    entries: list[_Listed] = []
    at = start
    for _ in range(count):
        fields = _CENTRAL.unpack_from(data, at)
        if fields[10] > MAX_NAME_BYTES:
            raise RefusedError(Verdict.BAD_NAMES, "bad_names_long", most=MAX_NAME_BYTES)
        name_at = at + _CENTRAL.size
        at = name_at + fields[10] + fields[11] + fields[12]
        _require(fields[0] == b"PK\x01\x02" and at <= end)
        entries.append((fields, bytes(data[name_at : name_at + fields[10]])))
    _require(at == end)
    entries.sort(key=lambda entry: entry[0][16])
    return entries, start


def _read_local(data: memoryview, entries: list[_Listed], stop: int) -> tuple[ZipEntry, ...]:
    found = []
    at = 0
    for fields, name in entries:
        flags, method, crc, packed, size = (fields[place] for place in (3, 4, 7, 8, 9))
        _require(fields[16] == at and fields[13] == 0 and not fields[15] & _IS_FOLDER)
        magic, _, own_flags, own_method, _, _, own_crc, own_packed, own_size, name_size, extra = (
            _LOCAL.unpack_from(data, at)
        )
        name_at = at + _LOCAL.size
        begin = name_at + name_size + extra
        at = begin + packed
        _require(magic == MAGIC and bytes(data[name_at : name_at + name_size]) == name)
        _require(own_method == method and at <= stop and not (flags | own_flags) & ~_FLAGS)
        is_described, own = bool(own_flags & _DESCRIBED), (own_crc, own_packed, own_size)
        _require(own == (crc, packed, size) or (is_described and own == (0, 0, 0)))
        if is_described:
            at += _descriptor_bytes(data, at, (crc, packed, size))
        text, packed_data = name.decode("utf-8"), data[begin : begin + packed]
        found.append(ZipEntry(text, method, flags | own_flags, crc, size, packed_data))
    _require(at == stop)
    return tuple(found)


def _descriptor_bytes(data: memoryview, at: int, expected: tuple[int, int, int]) -> int:
    """Return the size of the record after the data, which must agree with the directory."""
    record = (b"PK\x07\x08", *expected)
    for layout in (_DESCRIPTOR, _DESCRIPTOR_64):
        if at + layout.size <= len(data) and layout.unpack_from(data, at) == record:
            return layout.size
    raise RefusedError(Verdict.BAD_ZIP)


def _require(holds: bool) -> None:
    if not holds:
        raise RefusedError(Verdict.BAD_ZIP)
