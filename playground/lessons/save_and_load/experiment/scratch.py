"""A folder for the files of one experiment, so that it may read like the program."""

import zipfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def scratch_folder() -> Iterator[None]:
    """Within it, relative names lead to an empty folder, which is gone afterwards."""
    with TemporaryDirectory() as folder, chdir(folder):
        yield


def file_bytes(name: str) -> int:
    """The size of a file."""
    return Path(name).stat().st_size


def records_of(name: str) -> dict[str, bytes]:
    """The records of a file that ``torch.save`` wrote, by name, without the folder around them."""
    with zipfile.ZipFile(name) as archive:
        return {entry.partition("/")[2]: archive.read(entry) for entry in archive.namelist()}
