"""The files of a cell, which live in its memory: paths, ``torch.save`` and zip archives."""

import errno
import io
import json
import os
import posixpath
import struct
import zipfile
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, Self, cast

import safetensors.torch
import torch

from playground.sandbox.allowed_names import below_top

RECORD_ALIGNMENT = 64
LOCAL_HEADER = struct.Struct("<IHHHHHIIIHH")
DESCRIPTOR_BYTES = 16  # behind each record
CENTRAL_OFFSET = 42  # where an entry of the directory says where its record is
PADDING = b"FB"  # how torch marks what fills the gap
HEADER_LENGTH_BYTES = 8  # of a file of safetensors: how long its header is
NOT_A_FILE = "a file of the lab has a plain name, such as 'x-file', or is an io.BytesIO()"
ARCHIVE_MODES = ("r", "w")


def rename_folder(archive: bytes, folder: str) -> bytes:
    """Rename the folder around the records of an archive of ``torch.save``, and so set its size.

    Into a file in memory torch writes the folder ``archive``; into ``x-file`` it writes ``x-file``.
    A record begins at a multiple of 64 bytes, so that names change where the records are.

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
        fields = list(LOCAL_HEADER.unpack_from(archive, entry.header_offset))
        begin = entry.header_offset + LOCAL_HEADER.size + fields[9] + fields[10]
        record = archive[begin : begin + entry.file_size + DESCRIPTOR_BYTES]
        header_at = len(body)
        used = header_at + LOCAL_HEADER.size + len(name)
        gap = -(used + 4) % RECORD_ALIGNMENT
        fields[9], fields[10] = len(name), gap + 4
        body += (
            LOCAL_HEADER.pack(*fields)
            + name
            + PADDING
            + struct.pack("<H", gap)
            + b"Z" * gap
            + record
        )
        old_name, extra, comment = struct.unpack_from("<HHH", archive, at + 28)
        head = bytearray(archive[at : at + CENTRAL_OFFSET + 4])
        struct.pack_into("<H", head, 28, len(name))
        struct.pack_into("<I", head, CENTRAL_OFFSET, header_at)
        rest = at + len(head) + old_name
        directory += head + name + archive[rest : rest + extra + comment]
        at = rest + extra + comment
    return bytes(body + directory + _end_records(archive[at:], len(body), len(directory)))


def _end_records(tail: bytes, directory_at: int, directory_bytes: int) -> bytes:
    """Update the records behind the directory: zip64's, if there is one, and the short one."""
    end = bytearray(tail)
    end_at = len(end) - 22
    struct.pack_into("<II", end, end_at + 12, directory_bytes, directory_at)
    if end_at >= 76:
        struct.pack_into("<QQ", end, 40, directory_bytes, directory_at)
        struct.pack_into("<Q", end, 56 + 8, directory_at + directory_bytes)
    return bytes(end)


class Files:
    """The saved files of a cell, by name; empty at the start of each run."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._folders: set[str] = {""}

    def save(self, obj: object, f: object) -> None:
        """``torch.save``.

        Raises:
            TypeError: ``f`` is no file of a cell.
            RuntimeError: Its folder does not exist.
        """
        if type(f) in (io.BytesIO, WrittenFile):
            torch.save(obj, cast("io.BytesIO", f))
            return
        name = self.named(f)
        folder = name.rpartition("/")[0]
        if folder not in self._folders:
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        file = io.BytesIO()
        torch.save(obj, file)
        self._contents[name] = rename_folder(file.getvalue(), PurePosixPath(name).stem)

    def load(self, f: object, map_location: Any = None, *, weights_only: bool = True) -> Any:
        """``torch.load`` with ``weights_only=True``.

        Raises:
            TypeError: ``f`` is no file of a cell.
            RuntimeError: More than weights were asked for.
            FileNotFoundError: Nothing was saved under the name.
        """
        if weights_only is not True:
            raise RuntimeError("the lab loads with weights_only=True only")
        file = f if type(f) is io.BytesIO else _Opened(self.read(f))
        return torch.load(file, map_location=map_location, weights_only=True)

    def read(self, f: object) -> bytes:
        """Return all bytes of a file."""
        name = self.named(f)
        if name not in self._contents:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return self._contents[name]

    def write(self, f: object, content: bytes) -> int:
        """Overwrite a file; return its size."""
        name = self.named(f)
        if name.rpartition("/")[0] not in self._folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        self._contents[name] = bytes(content)
        return len(content)

    def save_tensors(
        self, tensors: dict[str, torch.Tensor], filename: object, metadata: Any = None
    ) -> None:
        """``safetensors.torch.save_file``."""
        self.write(filename, safetensors.torch.save(tensors, metadata))

    def load_tensors(self, filename: object, device: Any = "cpu") -> dict[str, torch.Tensor]:
        """``safetensors.torch.load_file``."""
        content = self.read(filename)
        loaded = safetensors.torch.load(content)
        return {name: loaded[name].to(device) for name in _in_order(content)}

    def make_folder(self, f: object, mode: int = 0o777, exist_ok: bool = False) -> None:  # noqa: ARG002
        """``os.makedirs``."""
        name = self.named(f)
        if name in self._folders and not exist_ok:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
        parts = name.split("/")
        self._folders |= {"/".join(parts[: count + 1]) for count in range(len(parts))}

    def join(self, *parts: str) -> str:
        """``os.path.join``."""
        path = posixpath.join(*parts)
        self.named(path)
        return path

    def exists(self, f: object) -> bool:
        """Return whether there is such a file or folder."""
        name = self.named(f)
        return name in self._contents or name in self._folders

    def is_file(self, f: object) -> bool:
        """Return whether there is such a file."""
        return self.named(f) in self._contents

    def size(self, f: object) -> int:
        """Return the size of a file in bytes."""
        return len(self.read(f))

    def named(self, f: object) -> str:
        """Return the name of a file.

        Raises:
            TypeError: It is none that a file of a cell may have.
        """
        if type(f) not in (str, MemoryPath):  # a subclass could return another name each time
            raise TypeError(NOT_A_FILE)
        name = below_top(str(f))
        if not name:
            raise TypeError(NOT_A_FILE)
        return name


class WrittenFile(io.BytesIO):
    """A file that is open for writing; what is in it is kept when it is flushed or closed.

    Args:
        files: Of the cell.
        name: Its name.
        content: What is in it before.
    """

    def __init__(self, files: Files, name: str, content: bytes = b"") -> None:
        super().__init__(content)
        self.seek(0, io.SEEK_END)
        self._files, self._name = files, name
        self.flush()

    def flush(self) -> None:
        """Keep what was written."""
        super().flush()
        self._files.write(self._name, self.getvalue())

    def close(self) -> None:
        """Keep what was written, and write no more."""
        if not self.closed:
            self.flush()
        super().close()


class _Opened(io.BytesIO):
    """A file that is open for reading; it refuses a place before its beginning as a file does."""

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place."""
        if whence == os.SEEK_SET and offset < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return super().seek(offset, whence)


def _in_order(content: bytes) -> list[str]:
    """Return the names in a file of safetensors in the order of their tensors."""
    end = HEADER_LENGTH_BYTES + int.from_bytes(content[:HEADER_LENGTH_BYTES], "little")
    header = json.loads(content[HEADER_LENGTH_BYTES:end])
    header.pop("__metadata__", None)
    return sorted(header, key=lambda name: header[name]["data_offsets"])


class MemoryPath:
    """The ``pathlib.Path`` of a cell.

    Args:
        files: Of the cell.
        name: A plain name.
    """

    def __init__(self, files: Files, name: str) -> None:
        self._files, self._name = files, files.named(name)

    def read_bytes(self) -> bytes:
        """Return all bytes of the file."""
        return self._files.read(self._name)

    def write_bytes(self, content: bytes) -> int:
        """Overwrite the file."""
        return self._files.write(self._name, content)

    def read_text(self, encoding: str = "utf-8") -> str:
        """Return the text of the file."""
        return io.TextIOWrapper(io.BytesIO(self._files.read(self._name)), encoding).read()

    def write_text(self, content: str, encoding: str = "utf-8") -> int:
        """Overwrite the file."""
        return self._files.write(self._name, content.encode(encoding))

    def __truediv__(self, name: str) -> "MemoryPath":
        return MemoryPath(self._files, self._files.join(self._name, name))

    def exists(self) -> bool:
        """Return whether there is such a file or folder."""
        return self._files.exists(self._name)

    def mkdir(
        self,
        mode: int = 0o777,
        parents: bool = False,  # noqa: ARG002
        exist_ok: bool = False,
    ) -> None:
        """Make a folder."""
        self._files.make_folder(self._name, mode, exist_ok)

    def stat(self) -> os.stat_result:
        """Return its size, and nothing else."""
        return os.stat_result((0, 0, 0, 0, 0, 0, self._files.size(self._name), 0, 0, 0))

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"PosixPath({self._name!r})"


class _Archive(zipfile.ZipFile):
    """An archive that may be garbage-collected after its buffer, if it was never closed."""

    def __del__(self) -> None:  # closes it in the base class, which raises on a freed buffer
        pass


class MemoryArchive:
    """The ``zipfile.ZipFile`` of a cell.

    Args:
        files: Of the cell.
        file: A plain name, or an ``io.BytesIO`` of the cell.
        mode: To read, or to overwrite.
        compression: Of what is written.

    Raises:
        TypeError: ``file`` is no file of a cell.
        ValueError: Another mode.
        FileNotFoundError: There is no such file, or no such folder.
    """

    def __init__(
        self, files: Files, file: object, mode: str = "r", compression: int = zipfile.ZIP_STORED
    ) -> None:
        if mode not in ARCHIVE_MODES:
            raise ValueError("an archive of the lab is opened with mode 'r' or 'w'")
        self._files = files
        self._name = None if type(file) is io.BytesIO else files.named(file)
        if type(file) is io.BytesIO:
            self._buffer = file
        elif mode == "r":
            self._buffer = io.BytesIO(files.read(file))
        else:
            files.write(file, b"")
            self._buffer = io.BytesIO()
        self._archive = _Archive(self._buffer, "r" if mode == "r" else "w", compression)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write the directory of the archive."""
        is_written = self._archive.fp is not None and self._archive.mode == "w"
        self._archive.close()
        if is_written and self._name is not None:
            self._files.write(self._name, self._buffer.getvalue())

    def namelist(self) -> list[str]:
        """Return the names of its records."""
        return self._archive.namelist()

    def read(self, name: str) -> bytes:
        """Return all bytes of a record."""
        return self._archive.read(name)

    def writestr(self, name: str, data: str | bytes) -> None:
        """Add a record."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a record is a str, not {type(name).__name__}")
        self._archive.writestr(name, data)
