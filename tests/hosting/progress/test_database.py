"""Where progress is kept, and where none is."""

import sys
from pathlib import Path

import pytest

from hosting import progress
from hosting.progress.database import file_of, open_database
from hosting.progress.records import MAX_NAME, Done, clean_name
from hosting.setting_field import SettingError
from hosting.settings import Gate, Settings
from tests.fresh import run_fresh

CODE = Settings(gate=Gate.CODE, class_code="tensor")


def test_without_an_address_it_is_a_file_in_the_data_folder(tmp_path: Path) -> None:
    engine = open_database(Settings(data_folder=tmp_path))

    assert file_of(engine) == tmp_path / "progress.sqlite"
    assert list(tmp_path.iterdir()) == []  # nothing is made before it is needed


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_an_address_of_postgresql_may_be_written_as_operators_know_it(scheme: str) -> None:
    pytest.importorskip("psycopg")

    engine = open_database(Settings(database=f"{scheme}://user:secret@host/class"))

    assert engine.url.drivername == "postgresql+psycopg"
    assert file_of(engine) is None


@pytest.mark.parametrize(
    "address",
    ["nonsense", "mysql://host/x", "sqlite://", "postgresql://host", "://", "sqlite+x:///f", "=1"],
)
def test_another_address_ends_the_start_with_a_sentence_that_hides_it(address: str) -> None:
    with pytest.raises(SettingError, match="PLAYGROUND_DATABASE must be") as refused:
        open_database(Settings(database=address.replace("host", "user:secret@host")))

    assert "secret" not in str(refused.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(SettingError, match="requirements-postgresql.txt"):
        open_database(Settings(database="postgresql://host/class"))


def test_an_open_playground_keeps_nothing_and_loads_no_database_library(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from hosting import progress\n"
        "from hosting.settings import Settings\n"
        "import ui.progress_sync, ui.progress, ui.visitor\n"
        f"progress.start(Settings(data_folder=Path({str(tmp_path)!r})))\n"
        "assert progress.current() is None\n"
        "assert 'sqlalchemy' not in sys.modules\n"
    )

    run_fresh(program)

    assert list(tmp_path.iterdir()) == []


def test_progress_outlives_the_server(tmp_path: Path) -> None:
    settings = Settings(gate=Gate.CODE, class_code="tensor", data_folder=tmp_path)
    for part in ("first", "second"):
        progress.start(settings)
        writer = progress.current()
        assert writer is not None
        writer.enqueue([Done(student="ada", lesson="tensors", part=part)])
        progress.stop()
        progress.stop()
        assert progress.current() is None

    progress.start(settings)
    try:
        writer = progress.current()
        assert writer is not None
        assert writer.wait_until_written(30)
        assert writer.load("ada").result(30).done == {"tensors/first", "tensors/second"}
    finally:
        progress.stop()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ada", "Ada"),
        ("  张\n量 ", "张 量"),
        ("a\u202eb\x00c\ud800d\u200be", "abcde"),
        ("x" * 1_000, "x" * MAX_NAME),
        (" \t\x07", ""),
        ("<b>", "<b>"),  # escaped where it is shown
    ],
)
def test_a_name_is_kept_on_one_line_and_printable(given: str, kept: str) -> None:
    assert clean_name(given) == kept
