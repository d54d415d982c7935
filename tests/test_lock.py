"""pyproject.toml, uv.lock and requirements*.txt say the same; nothing here asks the network."""

import tomllib

import pytest

from tools import lock

LOCKED = tomllib.loads((lock.ROOT / "uv.lock").read_text("utf-8"))["package"]


def test_the_lock_is_that_of_the_project():
    lock.uv("lock", "--check", "--offline", "--quiet")


@pytest.mark.parametrize("name", lock.EXTRAS)
def test_the_requirements_are_those_of_the_lock(name):
    written = (lock.ROOT / name).read_text("utf-8")
    assert written == lock.requirements(name)
    assert not [line for line in written.splitlines() if line.startswith(("nvidia-cu", "triton"))]


def test_no_package_of_cuda_is_wanted_beside_a_cpu_build():
    names = set(lock.cuda_packages())
    assert {"nvidia-cublas", "nvidia-cudnn-cu13", "triton"} <= names
    assert "nvidia-ml-py" not in names


def test_every_locked_file_has_a_hash_and_comes_from_the_public_registry():
    packages = [each for each in LOCKED if each["source"] != {"virtual": "."}]
    files = [file for each in packages for file in (*each["wheels"], each.get("sdist", {})) if file]
    assert {each["source"]["registry"] for each in packages} == {lock.INDEX}
    assert all(file["hash"].startswith("sha256:") for file in files)
    assert all(file["url"].startswith("https://files.pythonhosted.org/") for file in files)
