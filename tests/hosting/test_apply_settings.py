import platform
from importlib import util

import pytest

from hosting.apply_settings import check_ray, limit_heaps
from hosting.setting_field import SettingError
from hosting.settings import Settings, read


@pytest.mark.parametrize("address", ["10.0.0.5:6379", "head.example.edu:6379", "[fd00::5]:6379"])
def test_the_address_is_the_one_that_ray_prints(address: str) -> None:
    assert read({"PLAYGROUND_RAY_ADDRESS": address}).ray_address == address


@pytest.mark.parametrize(
    "address",
    [
        "ray://head:10001",
        "auto",
        "local",
        "head",
        "head:",
        "head:0",
        ":6379",
        "head:6379/x",
        "a b:1",
    ],
)
def test_every_other_address_is_refused_with_the_form_it_should_have(address: str) -> None:
    with pytest.raises(SettingError, match="host:port"):
        read({"PLAYGROUND_RAY_ADDRESS": address})


def test_without_the_package_the_start_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setattr("hosting.apply_settings.find_spec", lambda _: None)
    check_ray(Settings())

    with pytest.raises(SettingError, match=r"requirements-ray\.txt"):
        check_ray(Settings(ray_address="head:6379"))


def test_with_the_package_the_start_goes_on() -> None:
    if util.find_spec("ray") is None:
        pytest.skip("Ray is not installed: requirements-ray.txt")

    check_ray(Settings(ray_address="head:6379"))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_glibc_accepts_the_options_of_its_heaps() -> None:
    assert limit_heaps()
