"""Files that a step's program writes: the folder for them, and their use on the page."""

from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any

from playground.compute.settings import Settings


@contextmanager
def scratch_folder() -> Iterator[None]:
    """Change to an empty temporary folder."""
    with TemporaryDirectory() as folder, chdir(folder):
        yield


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFile:
    """A file to download."""

    data: bytes = field(repr=False)
    file_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The use of the files that a program writes.

    Attributes:
        downloads: Names of files that a visitor may download.
        more: Settings that create other files, each with its ``file_name``.
        inspected: The name of ``Answer.file``, which is inspected below the program.
        takes_upload: A visitor may upload a file, which is inspected instead.
        network: The network, as JSON, into which an accepted file is loaded in the jail; empty for
            none.
        is_strict: The argument of ``load_state_dict`` there.
    """

    downloads: tuple[str, ...] = ()
    more: tuple[Settings[Any], ...] = ()
    inspected: str = ""
    takes_upload: bool = False
    network: str = ""
    is_strict: bool = True
