import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.util import CommandError
from sqlalchemy import DateTime, Engine, bindparam, inspect, text
from sqlalchemy.exc import OperationalError

from hosting.progress.database import metadata, migrate, open_database, open_engine
from hosting.progress.records import MAX_NAME, clean_name
from hosting.progress.store import Store
from hosting.setting_field import SettingError
from hosting.settings import Settings
from tests.fresh import run_fresh

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEWEST = "0004"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_an_address_of_postgresql_may_be_written_as_operators_know_it(scheme):
    pytest.importorskip("psycopg")
    engine = open_database(Settings(database=f"{scheme}://user:secret@host/class"))
    assert engine.url.drivername == "postgresql+psycopg"


@pytest.mark.parametrize(
    "address",
    ["nonsense", "mysql://host/x", "sqlite://", "postgresql://host", "://", "sqlite+x:///f", "=1"],
)
def test_another_address_ends_the_start_with_a_sentence_that_hides_it(address):
    with pytest.raises(SettingError, match="PLAYGROUND_DATABASE must be") as refused:
        open_database(Settings(database=address.replace("host", "user:secret@host")))
    assert "secret" not in str(refused.value)


def test_a_missing_driver_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SettingError, match="requirements-postgresql.txt"):
        open_database(Settings(database="postgresql://host/class"))


def test_an_open_playground_keeps_nothing_and_loads_no_database_library(tmp_path):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from hosting import progress\n"
        "from hosting.settings import Settings\n"
        "import ui.progress, ui.visitor\n"
        f"progress.start(Settings(data_folder=Path({str(tmp_path)!r})))\n"
        "assert progress.current() is None\n"
        "assert 'sqlalchemy' not in sys.modules\n"
    )
    run_fresh(program)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  张\n量 ", "张 量"),
        ("a\u202eb\x00c\ud800d\u200be", "abcde"),
        ("x" * 1_000, "x" * MAX_NAME),
        (" \t\x07", ""),
    ],
)
def test_a_name_is_kept_on_one_line_and_printable(given, kept):
    assert clean_name(given) == kept


# -- migrations: whole or not at all ---------------------------------------------------------------


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


def test_an_empty_database_gets_the_tables_of_the_code_and_a_newer_one_is_left_alone(engine):
    assert version(engine) is None
    for _ in range(2):  # the second time changes nothing
        migrate(engine)
        assert version(engine) == NEWEST
        assert differences(engine) == []

    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(CommandError):
        migrate(engine)
    assert version(engine) == "9999"


def test_a_migration_that_fails_half_way_changes_nothing_and_later_keeps_all(engine, monkeypatch):
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
    assert version(engine) == NEWEST
    assert differences(engine) == []
    kept = Store(engine).load("ada")
    assert (kept.name, kept.done, kept.answers) == ("Ada", {"tensors/move"}, {})


def test_replicas_that_start_together_migrate_once(address):
    engines = [open_engine(address) for _ in range(3)]
    start = threading.Barrier(3)

    def run(engine: Engine) -> None:
        start.wait(300)
        while True:
            try:
                return migrate(engine)
            except OperationalError as error:
                if "database is locked" not in str(error):
                    raise  # else another one took long; a server tries again, too

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(run, engines)) == [None] * 3

    assert differences(engines[0]) == []
    for engine in engines:
        engine.dispose()
