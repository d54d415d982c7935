import dataclasses
import platform
import re
from pathlib import Path

import pytest

from hosting.apply_settings import check_ray, limit_heaps
from hosting.setting_field import SettingError
from hosting.settings import Gate, LogFormat, Settings, read
from tools.settings_table import page

ROOT = Path(__file__).parent.parent.parent
SECRET = "s" * 32
OIDC = {
    "PLAYGROUND_GATE": "oidc",
    "PLAYGROUND_OIDC_METADATA": "https://id.example.edu/.well-known/openid-configuration",
    "PLAYGROUND_OIDC_CLIENT_ID": "playground",
    "PLAYGROUND_OIDC_CLIENT_SECRET": SECRET,
    "PLAYGROUND_PUBLIC_ADDRESS": "https://playground.example.edu",
}

OIDC_FIELDS = {name.removeprefix("PLAYGROUND_").lower(): text for name, text in OIDC.items()}


def refusal(**given: str) -> str:
    with pytest.raises(SettingError) as refused:
        read({f"PLAYGROUND_{name.upper()}": text for name, text in given.items()})
    return str(refused.value)


def test_without_any_variable_a_laptop_is_open_and_within_limits():
    settings = read({"HOME": "/root", "PATH": "/bin"})

    assert settings == Settings()
    assert settings.gate is Gate.OPEN
    assert 150 <= settings.most_sessions_per_address <= settings.most_sessions


def test_every_kind_of_value_is_read():
    settings = read(
        {
            **OIDC,
            "PLAYGROUND_TEACHERS": "Ada@Example.edu, grace@example.edu,",
            "PLAYGROUND_LOG_FORMAT": "json",
            "PLAYGROUND_MOST_SESSIONS": "42",
            "PLAYGROUND_DATA_FOLDER": "/srv/playground",
            "PLAYGROUND_RAY_ADDRESS": "",
        }
    )

    assert settings.teachers == ("ada@example.edu", "grace@example.edu")
    assert settings.log_format is LogFormat.JSON
    assert (settings.most_sessions, settings.data_folder) == (42, Path("/srv/playground"))
    assert settings.is_https
    for address in ("10.0.0.5:6379", "head.example.edu:6379", "[fd00::5]:6379"):  # as Ray prints it
        assert read({"PLAYGROUND_RAY_ADDRESS": address}).ray_address == address


def test_a_secret_may_stand_in_a_file(tmp_path):
    file = tmp_path / "code"
    file.write_text("tensors\n")
    given = {"PLAYGROUND_GATE": "code", "PLAYGROUND_CLASS_CODE_FILE": str(file)}

    assert read(given).class_code == "tensors"
    with pytest.raises(SettingError, match="not both"):
        read({**given, "PLAYGROUND_CLASS_CODE": "another"})


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"gate": "opne"}, "PLAYGROUND_GATE must be one of open, code, oidc; it is 'opne'."),
        ({"gate": "code"}, "PLAYGROUND_CLASS_CODE is needed"),
        ({"gate": "code", "class_code": "abc"}, "at least 6 characters"),
        ({"gate": "code", "class_code_file": "/nowhere/code"}, "cannot be read"),
        ({"class_code": "tensors"}, "only where PLAYGROUND_GATE is code"),
        ({"gate": "code", "class_code": "tensors", "teacher_code": "tensors"}, "must differ"),
        ({"teacher_code": "teachers"}, "only where PLAYGROUND_GATE is code"),
        ({"gate": "oidc"}, "PLAYGROUND_OIDC_METADATA is needed"),
        ({"public_address": "playground.example.edu"}, "must begin with https://"),
        *(
            ({"public_address": f"https://{given}"}, "PLAYGROUND_PUBLIC_ADDRESS must")
            for given in ("", "a b", "x.edu/torch", ":1")
        ),
        *(
            ({"ray_address": given}, "host:port")
            for given in ("ray://head:10001", "auto", "local", "head", "head:", "head:0", ":6379")
        ),
        ({"ray_address": "head:6379/x"}, "host:port"),
        ({"ray_address": "a b:1"}, "host:port"),
        ({"most_sessions": "0"}, "a whole number from 1 to 10000; it is '0'"),
        ({"most_sessions": "-1"}, "a whole number"),
        ({"most_sessions": "1e3"}, "a whole number"),
        ({"most_sessions": "٣"}, "a whole number"),
        ({"most_sessions": "9" * 5_000}, "a whole number"),
        ({"cookie_secret": "short"}, "at least 32 characters"),
        ({"clas_code": "tensors"}, "PLAYGROUND_CLAS_CODE is no setting"),
        *(
            ({"public_address": "https://x.edu", "embedded_by": given}, "must be host names such")
            for given in ("https://moodle.edu", "moodle.edu/course", "*", "a.edu;", "'none'", "a b")
        ),
        ({"embedded_by": "moodle.edu"}, "needs a PLAYGROUND_PUBLIC_ADDRESS that begins with http"),
        ({"embedded_by": "moodle.edu", "public_address": "http://x.edu"}, "that begins with https"),
        ({**OIDC_FIELDS, "embedded_by": "moodle.edu"}, "where PLAYGROUND_GATE is oidc"),
        ({"most_sessions_file": "/etc/hosts"}, "is no setting"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(given, named):
    message = refusal(**given)

    assert named in message
    assert "\n" not in message
    assert message.endswith(".")
    assert len(message) < 200


def test_a_refusal_and_a_record_never_show_a_secret():
    settings = read({**OIDC, "PLAYGROUND_COOKIE_SECRET": "hidden" * 8})

    assert "hidden" not in repr(settings)
    assert SECRET not in repr(settings)
    assert "hidden" not in refusal(cookie_secret="hidden")


def test_the_documented_table_is_the_record():
    written = (ROOT / "docs" / "settings.md").read_text("utf-8")

    assert written == page()
    named = re.findall(r"^\| `PLAYGROUND_(\w+)`", written, re.MULTILINE)
    assert named == [field.name.upper() for field in dataclasses.fields(Settings)]


# -- at the start ----------------------------------------------------------------------------------


def test_a_cluster_without_its_package_says_what_to_install(monkeypatch):
    cluster = Settings(ray_address="head:6379")
    monkeypatch.setattr("hosting.apply_settings.find_spec", lambda _: object())
    check_ray(cluster)
    monkeypatch.setattr("hosting.apply_settings.find_spec", lambda _: None)
    check_ray(Settings())

    with pytest.raises(SettingError, match=r"requirements-ray\.txt"):
        check_ray(cluster)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_glibc_accepts_the_options_of_its_heaps():
    assert limit_heaps()
