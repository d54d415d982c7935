"""A database of any age becomes the one that the code knows, whole or not at all."""

import threading
from datetime import UTC, datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.util import CommandError
from sqlalchemy import URL, DateTime, Engine, bindparam, inspect, text
from sqlalchemy.exc import OperationalError

from hosting.progress.database import metadata, open_engine
from hosting.progress.migrations import migrate
from hosting.progress.store import Store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEWEST = "0002"


def version(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def differences(engine: Engine) -> list[object]:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, metadata))


def fill_the_first_version(engine: Engine) -> None:
    """As the first version wrote it: by its own words, not by today's tables."""
    migrate(engine, to="0001")
    noon = bindparam("noon", NOON, DateTime(timezone=True))
    with engine.begin() as connection:
        for words in (
            "INSERT INTO students VALUES (7, 'ada', 'Ada', :noon, :noon)",
            "INSERT INTO done VALUES (7, 'tensors', 'move', :noon)",
        ):
            connection.execute(text(words).bindparams(noon))


def test_an_empty_database_gets_the_tables_that_the_code_knows(engine: Engine) -> None:
    assert version(engine) is None

    migrate(engine)

    assert version(engine) == NEWEST
    assert differences(engine) == []


def test_an_older_database_keeps_what_it_holds(engine: Engine) -> None:
    fill_the_first_version(engine)

    migrate(engine)

    assert version(engine) == NEWEST
    assert differences(engine) == []
    kept = Store(engine).load("ada")
    assert (kept.name, kept.done, kept.answers) == ("Ada", {"tensors/move"}, {})


def test_migrating_twice_changes_nothing(engine: Engine) -> None:
    migrate(engine)
    migrate(engine)

    assert differences(engine) == []


def test_a_newer_database_is_refused_and_left_alone(engine: Engine) -> None:
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(CommandError):
        migrate(engine)

    assert version(engine) == "9999"


def test_a_migration_that_fails_half_way_changes_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_the_first_version(engine)

    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Operations, "create_index", fail)  # the table before it is made already
        with pytest.raises(OSError, match="no space"):
            migrate(engine)

    assert version(engine) == "0001"
    assert not inspect(engine).has_table("answers")
    migrate(engine)
    assert differences(engine) == []
    assert Store(engine).load("ada").done == {"tensors/move"}


def test_replicas_that_start_together_migrate_once(address: URL) -> None:
    engines = [open_engine(address) for _ in range(3)]
    start = threading.Barrier(3)
    failed: list[Exception] = []

    def run(engine: Engine) -> None:
        start.wait(300)
        while True:
            try:
                migrate(engine)
            except OperationalError as error:
                if "database is locked" in str(error):
                    continue  # another one took long; a server tries again, too
                failed.append(error)
            return

    threads = [threading.Thread(target=run, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)

    assert failed == []
    assert differences(engines[0]) == []
    for engine in engines:
        engine.dispose()
