"""Zip archives and pickles of a cell: read and written in its memory, looked at and never run."""

import io
import pickletools
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from playground.sandbox.facade.saving import Files

MODES = ("r", "w")


class _Archive(zipfile.ZipFile):
    """Where it was never closed, its buffer may be freed before it: then there is nothing to do."""

    def __del__(self) -> None:  # closes it in the base class, which raises on a freed buffer
        pass


class MemoryArchive:
    """What ``zipfile.ZipFile("weights.pt")`` is in a cell.

    Args:
        files: Of the cell.
        file: A plain name, or an ``io.BytesIO`` of the cell.
        mode: To read, or to write anew.
        compression: Of what is written.

    Raises:
        TypeError: ``file`` is no file of a cell.
        ValueError: Another mode.
        FileNotFoundError: There is no such file, or no such folder.
    """

    def __init__(
        self, files: Files, file: object, mode: str = "r", compression: int = zipfile.ZIP_STORED
    ) -> None:
        if mode not in MODES:
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
        """As ``with`` does."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it, whatever has happened."""
        self.close()

    def close(self) -> None:
        """Write what an archive ends with."""
        is_written = self._archive.fp is not None and self._archive.mode == "w"
        self._archive.close()
        if is_written and self._name is not None:
            self._files.write(self._name, self._buffer.getvalue())

    def namelist(self) -> list[str]:
        """The names of its records."""
        return self._archive.namelist()

    def read(self, name: str) -> bytes:
        """All bytes of a record."""
        return self._archive.read(name)

    def writestr(self, name: str, data: str | bytes) -> None:
        """Add a record."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a record is a str, not {type(name).__name__}")
        self._archive.writestr(name, data)


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a pickle."""

    name: str


def genops(pickle: bytes) -> Iterator[tuple[Step, object, int | None]]:
    """``pickletools.genops``, on bytes: what a pickle would do, and nothing is done.

    Raises:
        TypeError: ``pickle`` is something else than bytes.
        ValueError: It is no pickle.
    """
    if type(pickle) is not bytes:
        raise TypeError(f"a pickle is taken apart as bytes, not as {type(pickle).__name__}")
    for step, argument, place in pickletools.genops(pickle):
        yield Step(step.name), argument, place
