import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hosting.gate.session_cookie import SECRET_FILE, cookie_secret
from hosting.setting_field import SettingError
from hosting.settings import Settings


def test_it_is_made_once_and_kept_for_its_owner_alone(tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path / "data")
    made = cookie_secret(settings)

    assert len(made) >= 32
    assert cookie_secret(settings) == made
    assert [file.name for file in settings.data_folder.iterdir()] == [SECRET_FILE]
    if os.name == "posix":
        assert stat.S_IMODE((settings.data_folder / SECRET_FILE).stat().st_mode) == 0o600
        assert stat.S_IMODE(settings.data_folder.stat().st_mode) == 0o700


def test_replicas_that_start_together_agree(tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path)
    with ThreadPoolExecutor(8) as threads:
        made = set(threads.map(lambda _: cookie_secret(settings), range(8)))

    assert len(made) == 1


def test_the_operators_own_touches_no_file(tmp_path: Path) -> None:
    own = "o" * 40

    assert cookie_secret(Settings(cookie_secret=own, data_folder=tmp_path)) == own
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path)
    cookie_secret(settings)
    (tmp_path / SECRET_FILE).chmod(0o644)

    with pytest.raises(SettingError, match="its owner alone"):
        cookie_secret(settings)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path)
    cookie_secret(settings)
    (tmp_path / SECRET_FILE).write_text("x")

    with pytest.raises(SettingError, match="damaged"):
        cookie_secret(settings)


def test_a_folder_that_cannot_be_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SettingError, match="PLAYGROUND_DATA_FOLDER"):
        cookie_secret(Settings(data_folder=tmp_path / "file" / "data"))
