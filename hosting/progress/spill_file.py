"""Entries of progress that were not written when the server ended, kept for its next start."""

import json
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from hosting.progress.records import Answer, Done, Entry, Seen, Vote

KINDS: Mapping[str, type[Seen | Done | Answer | Vote]] = {
    "seen": Seen,
    "done": Done,
    "answer": Answer,
    "vote": Vote,
}
PATTERN = "progress-left-*.jsonl"  # one for each replica
logger = logging.getLogger(__name__)


class SpillFile:
    """The entries that were not written when the server ended, in a file for the next start.

    Args:
        folder: Of the server's data.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, entries: Sequence[Entry]) -> None:
        """Write entries to a file that only its owner may read; without entries, to none."""
        if not entries:
            return
        lines = "".join(f"{_line(entry)}\n" for entry in entries)
        file = self._folder / PATTERN.replace("*", f"{os.getpid()}-{os.urandom(4).hex()}")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished = file.with_suffix(".part")
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(lines)
                out.flush()
                os.fsync(handle)
            unfinished.rename(file)
        except OSError as error:
            logger.error("%d entries of progress are lost: %s", len(entries), error.strerror)
        else:
            logger.warning(
                "%d entries of progress are saved to a file until the next start", len(entries)
            )

    def take(self) -> list[Entry]:
        """Read and delete all files; each one is taken by one replica only."""
        entries: list[Entry] = []
        for file in sorted(self._folder.glob(PATTERN)):
            taken = file.with_suffix(f".taken-{os.getpid()}")
            try:
                file.rename(taken)
                lines = taken.read_text("utf-8").splitlines()
                entries += [_entry(line) for line in lines]
                taken.unlink()
            except FileNotFoundError:
                continue  # another replica was faster
            except (OSError, ValueError, TypeError, KeyError) as error:
                logger.error(
                    "cannot read the saved progress in %s: %s", file.name, type(error).__name__
                )
        return entries


def _line(entry: Entry) -> str:
    kind = next(name for name, each in KINDS.items() if isinstance(entry, each))
    return json.dumps({"kind": kind, **asdict(entry), "at": entry.at.isoformat()})


def _entry(line: str) -> Entry:
    values: dict[str, Any] = json.loads(line)
    values["at"] = datetime.fromisoformat(values["at"])
    return KINDS[values.pop("kind")](**values)
