"""Gives an archive of ``torch.save`` the folder name, and so the size, that it has as a file.

Into a file in memory torch writes the folder ``archive``; into ``x-file`` it writes ``x-file``.
A record begins at a multiple of 64 bytes, so that names change where the records are.
"""

import struct
import zipfile
from io import BytesIO

ALIGNMENT = 64
LOCAL = struct.Struct("<IHHHHHIIIHH")
DESCRIPTOR_BYTES = 16  # behind each record
CENTRAL_OFFSET = 42  # where an entry of the directory says where its record is
PADDING = b"FB"  # how torch marks what fills the gap


def renamed(archive: bytes, folder: str) -> bytes:
    """The same archive with another folder around its records.

    Args:
        archive: As ``torch.save`` writes it.
        folder: The name of the file without its suffix.
    """
    with zipfile.ZipFile(BytesIO(archive)) as opened:
        entries, directory_at = opened.infolist(), opened.start_dir
    body, directory = bytearray(), bytearray()
    at = directory_at
    for entry in entries:
        name = f"{folder}/{entry.filename.partition('/')[2]}".encode()
        fields = list(LOCAL.unpack_from(archive, entry.header_offset))
        begin = entry.header_offset + LOCAL.size + fields[9] + fields[10]
        record = archive[begin : begin + entry.file_size + DESCRIPTOR_BYTES]
        header_at = len(body)
        used = header_at + LOCAL.size + len(name)
        gap = -(used + 4) % ALIGNMENT
        fields[9], fields[10] = len(name), gap + 4
        body += LOCAL.pack(*fields) + name + PADDING + struct.pack("<H", gap) + b"Z" * gap + record
        old_name, extra, comment = struct.unpack_from("<HHH", archive, at + 28)
        head = bytearray(archive[at : at + CENTRAL_OFFSET + 4])
        struct.pack_into("<H", head, 28, len(name))
        struct.pack_into("<I", head, CENTRAL_OFFSET, header_at)
        rest = at + len(head) + old_name
        directory += head + name + archive[rest : rest + extra + comment]
        at = rest + extra + comment
    return bytes(body + directory + _end(archive[at:], len(body), len(directory)))


def _end(tail: bytes, directory_at: int, directory_bytes: int) -> bytes:
    """The records behind the directory: of zip64, where that is, and the short one."""
    end = bytearray(tail)
    end_at = len(end) - 22
    struct.pack_into("<II", end, end_at + 12, directory_bytes, directory_at)
    if end_at >= 76:
        struct.pack_into("<QQ", end, 40, directory_bytes, directory_at)
        struct.pack_into("<Q", end, 56 + 8, directory_at + directory_bytes)
    return bytes(end)
