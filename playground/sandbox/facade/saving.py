"""The files of a cell, which live in its memory, and ``torch.save`` and ``torch.load`` on them."""

import errno
import io
import json
import os
import posixpath
from pathlib import PurePosixPath
from typing import Any

import safetensors.torch
import torch

from playground.sandbox.facade.file_names import is_file_name
from playground.sandbox.facade.renaming import renamed

LENGTH_BYTES = 8  # of a file of safetensors: how long its header is
NO_FILES = "a file of the lab has a plain name, such as 'x-file', or is an io.BytesIO()"


class Files:
    """What a cell has saved, by name; empty at the beginning of each run."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._folders: set[str] = {""}

    def save(self, obj: object, f: object) -> None:
        """``torch.save``.

        Raises:
            TypeError: ``f`` is no file of a cell.
            RuntimeError: Its folder does not exist.
        """
        if type(f) is io.BytesIO:
            torch.save(obj, f)
            return
        name = self.named(f)
        folder = name.rpartition("/")[0]
        if folder not in self._folders:
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        file = io.BytesIO()
        torch.save(obj, file)
        self._contents[name] = renamed(file.getvalue(), PurePosixPath(name).stem)

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
        """All bytes of a file."""
        name = self.named(f)
        if name not in self._contents:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return self._contents[name]

    def write(self, f: object, content: bytes) -> int:
        """Write a file anew; answer its size."""
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
        return self.named(posixpath.join(*parts))

    def exists(self, f: object) -> bool:
        """Whether there is such a file or folder."""
        name = self.named(f)
        return name in self._contents or name in self._folders

    def is_file(self, f: object) -> bool:
        """Whether there is such a file."""
        return self.named(f) in self._contents

    def size(self, f: object) -> int:
        """How many bytes a file has."""
        return len(self.read(f))

    def named(self, f: object) -> str:
        """The name of a file.

        Raises:
            TypeError: It is none that a file of a cell may have.
        """
        if type(f) not in (str, MemoryPath):  # a subclass could tell another name each time
            raise TypeError(NO_FILES)
        name = str(f).rstrip("/")
        if not is_file_name(name):
            raise TypeError(NO_FILES)
        return name


class _Opened(io.BytesIO):
    """A file that is open for reading; it refuses a place before its beginning as a file does."""

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place."""
        if whence == os.SEEK_SET and offset < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return super().seek(offset, whence)


def _in_order(content: bytes) -> list[str]:
    """The names in a file of safetensors as their tensors follow each other in it."""
    end = LENGTH_BYTES + int.from_bytes(content[:LENGTH_BYTES], "little")
    header = json.loads(content[LENGTH_BYTES:end])
    header.pop("__metadata__", None)
    return sorted(header, key=lambda name: header[name]["data_offsets"])


class MemoryPath:
    """What ``Path("x-file")`` is in a cell.

    Args:
        files: Of the cell.
        name: A plain name.
    """

    def __init__(self, files: Files, name: str) -> None:
        self._files, self._name = files, files.named(name)

    def read_bytes(self) -> bytes:
        """All bytes of the file."""
        return self._files.read(self._name)

    def write_bytes(self, content: bytes) -> int:
        """Write the file anew."""
        return self._files.write(self._name, content)

    def write_text(self, content: str) -> int:
        """Write the file anew, in UTF-8."""
        return self._files.write(self._name, content.encode())

    def exists(self) -> bool:
        """Whether there is such a file or folder."""
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
        """Its size, and nothing else."""
        return os.stat_result((0, 0, 0, 0, 0, 0, self._files.size(self._name), 0, 0, 0))

    def __str__(self) -> str:
        """Its name."""
        return self._name

    def __repr__(self) -> str:
        """As Python shows a path."""
        return f"PosixPath({self._name!r})"
