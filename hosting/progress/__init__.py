"""Progress that stays: what signed-in students have done and answered, kept in a database.

Nothing is kept where the gate is open, and the database's library is then not even loaded. Else
``start(settings)`` begins a keeper, which writes in a thread of its own; pages hand entries over
and never wait for the database. See ``keeper`` for what happens while there is none.
"""

from typing import TYPE_CHECKING

from hosting.progress.records import Answer, Done, Entry, Kept, ProgressUnavailableError, Seen
from hosting.settings import Gate

if TYPE_CHECKING:
    from hosting.progress.keeper import Keeper
    from hosting.settings import Settings

__all__ = [
    "Answer",
    "Done",
    "Entry",
    "Kept",
    "ProgressUnavailableError",
    "Seen",
    "check",
    "current",
    "start",
    "stop",
]

_keeper: "Keeper | None" = None


def check(settings: "Settings") -> None:
    """Refuse an address of a database that can never be used; connects to nothing.

    Raises:
        SettingError: It is none, or its driver is not installed.
    """
    if settings.gate is not Gate.OPEN:
        from hosting.progress.database import open_database

        open_database(settings).dispose()


def start(settings: "Settings") -> None:
    """Begin to keep progress, unless everybody may come in: then nobody is known.

    Returns at once: a database that cannot be reached is tried again and again.

    Raises:
        SettingError: As from ``check``.
    """
    global _keeper
    if settings.gate is Gate.OPEN or _keeper is not None:
        return
    from hosting.progress.database import open_database
    from hosting.progress.keeper import Keeper
    from hosting.progress.spool import Spool
    from hosting.progress.store import Store

    store = Store(open_database(settings))
    _keeper = Keeper(store, Spool(settings.data_folder))
    _keeper.start()


def stop() -> None:
    """Write what waits, or leave it beside for the next start; safe to call twice."""
    global _keeper
    ending, _keeper = _keeper, None
    if ending is not None:
        ending.stop()


def current() -> "Keeper | None":
    """Whoever keeps progress here; None where nothing is kept."""
    return _keeper
