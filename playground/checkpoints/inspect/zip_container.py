"""The zip container, read strictly: one layout is allowed, and every byte is accounted for.

Readers of zip files disagree about files that contradict themselves, so none of those is accepted:
the end record ends the file, the directory precedes it, and the entries fill what lies before,
each local header agreeing with the directory. Nothing is copied or decompressed.

Source: PKWARE's APPNOTE.TXT, sections 4.3.6 to 4.3.16.
"""

import struct
from dataclasses import dataclass
from typing import TypeAlias

from playground.checkpoints.inspect import limits
from playground.checkpoints.inspect.verdicts import RefusedError, Verdict

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
class ListedName:
    """An entry of the directory, which is not verified yet.

    Args:
        name: As written; bytes that are no UTF-8 become lone surrogates.
        is_encrypted: Whether a password would be needed.
    """

    name: str
    is_encrypted: bool


@dataclass(frozen=True, slots=True)
class _Directory:
    start: int
    stop: int
    count: int


def list_zip(data: memoryview) -> tuple[ListedName, ...]:
    """Read the directory of any program's zip, and nothing else of it.

    Raises:
        RefusedError: BAD_ZIP, BAD_NAMES or TOO_MANY_ENTRIES.
    """
    try:
        listed, _ = _read_directory(data)
    except struct.error as error:
        raise RefusedError(Verdict.BAD_ZIP) from error
    return tuple(
        ListedName(name.decode("utf-8", "surrogateescape"), bool(fields[3] & _ENCRYPTED))
        for fields, name in listed
    )


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


def _find_directory(data: memoryview) -> _Directory:
    end = len(data) - END_BYTES
    _require(end >= 0)
    magic, disk, first_disk, here, count, size, start, comment = _END.unpack_from(data, end)
    _require(magic == END_MAGIC and disk == first_disk == comment == 0 and here == count)
    directory = _Directory(start, start + size, count)
    locator = end - _LOCATOR_64.size
    if locator >= 0 and bytes(data[locator : locator + 4]) == b"PK\x06\x07":
        end = _check_end_64(data, locator, directory)
    _require(directory.stop == end)
    return directory


def _check_end_64(data: memoryview, locator: int, directory: _Directory) -> int:
    """Return the offset of the 64-bit end record, which must agree with the 32-bit one."""
    _, disk, start, disks = _LOCATOR_64.unpack_from(data, locator)
    _require(disk == 0 and disks == 1 and start == locator - _END_64.size)
    magic, size, _, _, disk, first_disk, here, count, directory_size, directory_start = (
        _END_64.unpack_from(data, start)
    )
    _require(magic == b"PK\x06\x06" and size == _END_64.size - 12 and disk == first_disk == 0)
    _require(here == count == directory.count and directory_start == directory.start)
    _require(directory_start + directory_size == directory.stop)
    return int(start)


def _read_directory(data: memoryview) -> tuple[list[_Listed], int]:
    """Read the entries of the directory in the order of the file, and the directory's offset."""
    directory = _find_directory(data)
    if directory.count > limits.ENTRIES:
        raise RefusedError(Verdict.TOO_MANY_ENTRIES, count=directory.count, most=limits.ENTRIES)
    entries: list[_Listed] = []
    at = directory.start
    for _ in range(directory.count):
        fields = _CENTRAL.unpack_from(data, at)
        if fields[10] > limits.NAME_BYTES:
            raise RefusedError(Verdict.BAD_NAMES, "bad_names_long", most=limits.NAME_BYTES)
        name_at = at + _CENTRAL.size
        at = name_at + fields[10] + fields[11] + fields[12]
        _require(fields[0] == b"PK\x01\x02" and at <= directory.stop)
        entries.append((fields, bytes(data[name_at : name_at + fields[10]])))
    _require(at == directory.stop)
    entries.sort(key=lambda entry: entry[0][16])
    return entries, directory.start


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
        if own_flags & _DESCRIBED and own_packed == own_size == own_crc == 0:
            at += _descriptor_bytes(data, at, (crc, packed, size))
        else:
            _require((own_crc, own_packed, own_size) == (crc, packed, size))
            if own_flags & _DESCRIBED:
                at += _descriptor_bytes(data, at, (crc, packed, size))
        text, packed_data = name.decode("utf-8"), data[begin : begin + packed]
        found.append(ZipEntry(text, method, flags | own_flags, crc, size, packed_data))
    _require(at == stop)
    return tuple(found)


def _descriptor_bytes(data: memoryview, at: int, expected: tuple[int, int, int]) -> int:
    """Return the size of the record after the data, which must agree with the directory."""
    for layout in (_DESCRIPTOR, _DESCRIPTOR_64):
        if at + layout.size <= len(data) and layout.unpack_from(data, at) == (
            b"PK\x07\x08",
            *expected,
        ):
            return layout.size
    raise RefusedError(Verdict.BAD_ZIP)


def _require(holds: bool) -> None:
    if not holds:
        raise RefusedError(Verdict.BAD_ZIP)
