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
    "gate": "oidc",
    "oidc_metadata": "https://id.example.edu/.well-known/openid-configuration",
    "oidc_client_id": "playground",
    "oidc_client_secret": SECRET,
    "public_address": "https://playground.example.edu",
}


def chosen(**given: str) -> Settings:
    return read({f"PLAYGROUND_{name.upper()}": text for name, text in given.items()})


def refusal(**given: str) -> str:
    with pytest.raises(SettingError) as refused:
        chosen(**given)
    return str(refused.value)


def test_without_any_variable_a_laptop_is_open_and_within_limits():
    settings = read({"HOME": "/root", "PATH": "/bin"})
    assert settings == Settings()
    assert settings.gate is Gate.OPEN
    assert 150 <= settings.most_sessions_per_address <= settings.most_sessions


def test_every_kind_of_value_is_read():
    teachers = "Ada@Example.edu, grace@example.edu,"
    settings = chosen(**OIDC, teachers=teachers, log_format="json", ray_address="")

    assert settings.teachers == ("ada@example.edu", "grace@example.edu")
    assert settings.log_format is LogFormat.JSON
    assert settings.is_https
    assert chosen(most_sessions="42").most_sessions == 42
    assert chosen(data_folder="/srv/playground").data_folder == Path("/srv/playground")
    for address in ("10.0.0.5:6379", "head.example.edu:6379", "[fd00::5]:6379"):  # as Ray prints it
        assert chosen(ray_address=address).ray_address == address


def test_a_secret_may_stand_in_a_file(tmp_path):
    file = tmp_path / "code"
    file.write_text("tensors\n")
    given = {"gate": "code", "class_code_file": str(file)}
    assert chosen(**given).class_code == "tensors"
    assert "not both" in refusal(**given, class_code="another")


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
        ({**OIDC, "cookie_hours": "721"}, "PLAYGROUND_COOKIE_HOURS may be 720 at most"),
        ({"public_address": "playground.example.edu"}, "must begin with https://"),
        *(
            ({"public_address": f"https://{given}"}, "PLAYGROUND_PUBLIC_ADDRESS must")
            for given in ("", "a b", "x.edu/torch", ":1")
        ),
        *(
            ({"ray_address": given}, "host:port")
            for given in ("ray://head:10001", "auto", "head:", "head:0", ":6379", "head:6379/x")
        ),
        ({"ray_address": "a b:1"}, "host:port"),
        ({"most_sessions": "0"}, "a whole number from 1 to 10000; it is '0'"),
        *(
            ({"most_sessions": given}, "a whole number")
            for given in ("-1", "1e3", "٣", "9" * 5_000)
        ),
        ({"cookie_secret": "short"}, "at least 32 characters"),
        ({"clas_code": "tensors"}, "PLAYGROUND_CLAS_CODE is no setting"),
        *(
            ({"public_address": "https://x.edu", "embedded_by": given}, "must be host names such")
            for given in ("https://moodle.edu", "moodle.edu/course", "*", "a.edu;", "'none'", "a b")
        ),
        ({"embedded_by": "moodle.edu"}, "needs a PLAYGROUND_PUBLIC_ADDRESS that begins with http"),
        ({"embedded_by": "moodle.edu", "public_address": "http://x.edu"}, "that begins with https"),
        ({**OIDC, "embedded_by": "moodle.edu"}, "where PLAYGROUND_GATE is oidc"),
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
    settings = repr(chosen(**OIDC, cookie_secret="hidden" * 8))
    assert "hidden" not in settings
    assert SECRET not in settings
    assert "hidden" not in refusal(cookie_secret="hidden")


def test_the_documented_table_is_the_record():
    written = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert written == page()
    named = re.findall(r"^\| `PLAYGROUND_(\w+)`", written, re.MULTILINE)
    assert named == [field.name.upper() for field in dataclasses.fields(Settings)]


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
