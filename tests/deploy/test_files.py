"""What no test can run here, Dockerfile, compose and units, is at least held against the rest."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from hosting.settings import SANDBOX_VARIABLES, Settings, read, variable
from tests.fresh import run_fresh
from tests.hosting.server import ROOT

DEPLOY = ROOT / "deploy"
GUIDE = ROOT / "docs" / "hosting.md"
OURS = re.compile(r"PLAYGROUND_[A-Z][A-Z_]*[A-Z]")
UNIT = DEPLOY / "systemd" / "torch-playground@.service"
PROGRAM = "/opt/torch-playground/current/.venv/bin/streamlit"
SCRIPTS = sorted([*DEPLOY.rglob("*.sh"), ROOT / "tools" / "ensure_nginx.sh"])
LIST_IMPORTS = """
import app, json, os, sys
files = (getattr(module, "__file__", None) or "" for module in tuple(sys.modules.values()))
own = (file for file in files if file.startswith(os.getcwd()) and "site-packages" not in file)
inside = {os.path.relpath(file, os.getcwd()) for file in own}
print(json.dumps(sorted({path.split(os.sep)[0].removesuffix(".py") for path in inside})))
"""
BASE = re.compile(r"PYTHON=python:3\.13(\.\d+)?-slim-trixie@sha256:[0-9a-f]{64}")


def compose(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text("utf-8"))


def instructions() -> list[tuple[str, str]]:
    """Of the Dockerfile, continued lines as one."""
    found = re.sub(r"\\\n", " ", (DEPLOY / "Dockerfile").read_text("utf-8"))
    lines = [line.strip() for line in found.splitlines()]
    return [
        (word, rest.strip())
        for word, _, rest in (line.partition(" ") for line in lines)
        if word and word != "#"
    ]


def test_every_setting_that_is_named_exists() -> None:
    known = {variable(field.name) for field in fields(Settings)} | SANDBOX_VARIABLES
    known |= {f"{name}_FILE" for name in known}
    files = [file for file in DEPLOY.rglob("*") if file.is_file()]
    named = {name for file in [*files, GUIDE] for name in OURS.findall(file.read_text("utf-8"))}

    assert {"PLAYGROUND_CLASS_CODE", "PLAYGROUND_DATA_FOLDER"} <= named
    assert named - known == set()


def test_every_file_that_the_guide_names_exists() -> None:
    found = GUIDE.read_text("utf-8")
    below_the_root = re.findall(r"(?<![\w/])(deploy/[\w./@-]+\w)", found)
    below_deploy = re.findall(r"\$PWD/(nginx/\w+\.sh|compose\.yaml)|\./(write_env\.sh)", found)
    named = [*below_the_root, *(f"deploy/{one or other}" for one, other in below_deploy)]

    assert {"deploy/install.sh", "deploy/write_env.sh", "deploy/compose.yaml"} <= set(named)
    written_by_the_operator = {"deploy/.env"}
    missing = [name for name in named if not (ROOT / name).exists()]
    assert set(missing) <= written_by_the_operator


def test_the_image_copies_what_exists_and_everything_that_runs() -> None:
    copied = [
        source
        for word, rest in instructions()
        if word == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    ]
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()

    assert [source for source in copied if not (ROOT / source).exists()] == []
    assert [f"!{source}" for source in copied if f"!{source}" not in allowed] == []
    imported = json.loads(run_fresh(LIST_IMPORTS).splitlines()[-1])
    parts = {source.removesuffix(".py") for source in copied}
    assert set(imported) - parts == set()
    assert {"pages", ".streamlit"} <= parts


def test_the_image_is_pinned_and_runs_as_a_user_with_a_health_check() -> None:
    found = instructions()
    words = [word for word, _ in found]

    assert all(rest.startswith("${PYTHON}") for word, rest in found if word == "FROM")
    assert [rest for word, rest in found if word == "ARG" and BASE.fullmatch(rest)]
    assert ("USER", "playground") in found
    assert words.index("USER") < words.index("CMD")
    assert "/api/health" in next(rest for word, rest in found if word == "HEALTHCHECK")


def test_containers_have_no_privilege_and_only_the_proxy_a_port() -> None:
    services = compose("compose.yaml")["services"]

    for name in ("app", "app-2", "proxy"):
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["security_opt"] == ["no-new-privileges:true"]
        assert services[name]["mem_limit"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert "healthcheck" in services["proxy"]  # else "up --wait" does not notice that it ends
    assert "cap_add" not in services["app"]
    assert set(compose("compose.gpu.yaml")["services"]) <= set(services)


def test_the_application_believes_the_proxy_and_nobody_else() -> None:
    services = compose("compose.yaml")["services"]
    address = services["proxy"]["networks"]["inside"]["ipv4_address"]

    for name in ("app", "app-2"):
        assert services[name]["environment"] == {"FORWARDED_ALLOW_IPS": address}
        own = services[name]["networks"]["inside"]["ipv4_address"]
        assert own != address
    assert "172.30.77.11:8501" in services["proxy"]["environment"]["REPLICAS"]


def test_what_a_new_settings_file_says_can_be_meant(tmp_path: Path) -> None:
    file = tmp_path / "settings"
    command = [str(DEPLOY / "write_env.sh"), "playground.example.edu", "cu130", str(file)]
    subprocess.run(command, check=True, timeout=300)
    written = file.read_text("utf-8")
    assert file.stat().st_mode & 0o077 == 0
    subprocess.run(command, check=True, timeout=300)
    assert file.read_text("utf-8") == written  # a second time it is left alone
    found = dict(re.findall(r"^(\w+)=(.*)$", written, re.MULTILINE))
    settings = read(found)

    assert settings.public_address == "https://playground.example.edu"
    assert (found["SERVER_NAME"], found["VARIANT"]) == ("playground.example.edu", "cu130")
    assert len({settings.class_code, settings.teacher_code, settings.cookie_secret}) == 3
    commented = re.search(r"^# (PLAYGROUND_DATABASE)=(.*)$", written, re.MULTILINE)
    assert commented
    assert found["POSTGRES_PASSWORD"] in read({commented[1]: commented[2]}).database


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_scripts_are_posix_and_may_be_run(script: Path) -> None:
    checked = subprocess.run(["sh", "-n", str(script)], capture_output=True, timeout=300)

    assert checked.returncode == 0, checked.stderr
    assert os.access(script, os.X_OK)
    assert script.read_text("utf-8").splitlines()[0] == "#!/bin/sh"


def test_the_unit_is_valid(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    found = UNIT.read_text("utf-8").replace(PROGRAM, "/bin/true")
    unit = tmp_path / "torch-playground@8501.service"
    unit.write_text(found, "utf-8")

    checked = subprocess.run(
        [analyze, "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=300
    )

    ours = [line for line in checked.stderr.splitlines() if "torch-playground" in line]
    assert ours == []


def test_the_unit_and_the_container_bound_memory_and_survive_its_end() -> None:
    found = dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text("utf-8"), re.MULTILINE))

    assert found["OOMPolicy"] == "continue"  # else one killed worker ends the service
    assert found["Restart"] == "always"
    assert {"MemoryHigh", "MemoryMax", "TimeoutStopSec"} <= set(found)
    assert "PrivateDevices" not in found  # it would hide the GPU
