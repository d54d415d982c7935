"""The secret that signs cookies: the operator's, or one that is made once and kept."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from hosting.parsing import SettingError
from hosting.settings import LEAST_SECRET, Settings

NAME = "cookie-secret"


def of(settings: Settings) -> str:
    """The secret; in the data folder only its owner may read it.

    Raises:
        SettingError: The folder cannot be written, or the file is open to others.
    """
    if settings.cookie_secret:
        return settings.cookie_secret
    file = settings.data_folder / NAME
    try:
        if not file.exists():
            _make(file)
        others = file.stat().st_mode & 0o077
        kept = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise SettingError(
            "The cookie secret cannot be kept in PLAYGROUND_DATA_FOLDER: the server must be able "
            "to write there, or set PLAYGROUND_COOKIE_SECRET."
        ) from None
    if others and os.name == "posix":
        raise SettingError(f"{NAME} in PLAYGROUND_DATA_FOLDER must be readable by its owner alone.")
    if len(kept) < LEAST_SECRET:
        raise SettingError(f"{NAME} in PLAYGROUND_DATA_FOLDER is damaged; remove it for a new one.")
    return kept


def _make(file: Path) -> None:
    """Write a new one; where two servers start at once, both read the first one's."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=file.parent)  # mode 0600
    try:
        with os.fdopen(handle, "w") as opened:
            opened.write(secrets.token_hex(LEAST_SECRET))
        with contextlib.suppress(FileExistsError):
            os.link(fresh, file)  # never seen half written
    finally:
        Path(fresh).unlink()
