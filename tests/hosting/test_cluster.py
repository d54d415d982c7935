from importlib import util

import pytest

from hosting import cluster
from hosting.parsing import SettingError
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
    monkeypatch.setattr("playground.compute.cluster.find_spec", lambda _: None)
    cluster.check(Settings())

    with pytest.raises(SettingError, match=r"requirements-ray\.txt"):
        cluster.check(Settings(ray_address="head:6379"))


def test_with_the_package_the_start_goes_on() -> None:
    if util.find_spec("ray") is None:
        pytest.skip("Ray is not installed: requirements-ray.txt")

    cluster.check(Settings(ray_address="head:6379"))
