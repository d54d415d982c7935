"""Files that a step's program writes: a folder for them, and what the page offers of them."""

from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any

from playground.compute.settings import Settings


@contextmanager
def scratch_folder() -> Iterator[None]:
    """Make an empty folder the current one, and delete it afterwards."""
    with TemporaryDirectory() as folder, chdir(folder):
        yield


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFile:
    """A file to take away."""

    data: bytes = field(repr=False)
    file_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What the page does with the files that a program writes.

    Attributes:
        downloads: Names of those that a visitor may take away.
        more: Settings that make other files, each with the ``file_name`` of what it makes.
        inspected: The name of ``Answer.file``, which is inspected below the program.
        takes_upload: A visitor may bring a file, which is inspected in place of that one.
        network: As JSON, what an accepted file is loaded into in the jail; empty for none.
        is_strict: The argument of ``load_state_dict`` there.
    """

    downloads: tuple[str, ...] = ()
    more: tuple[Settings[Any], ...] = ()
    inspected: str = ""
    takes_upload: bool = False
    network: str = ""
    is_strict: bool = True
