"""What no test can run here, Dockerfile, compose and units, is at least held against the rest."""

import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from hosting.settings import SANDBOX_VARIABLES, Settings, read, variable
from tests.fresh import run_fresh
from tests.hosting.server import ROOT

DEPLOY = ROOT / "deploy"
GUIDE = "\n".join((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("hosting", "ray"))
SECONDS = 300.0  # a limit for what hangs
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


def run(*command: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=SECONDS, **more
    )


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
    texts = [GUIDE, *(file.read_text("utf-8") for file in files)]
    named = {name for text in texts for name in OURS.findall(text)}

    assert {"PLAYGROUND_CLASS_CODE", "PLAYGROUND_DATA_FOLDER"} <= named
    assert named - known == set()


def test_every_file_that_the_guide_names_exists() -> None:
    below_the_root = re.findall(r"(?<![\w/])(deploy/[\w./@-]+\w)", GUIDE)
    below_deploy = re.findall(r"\$PWD/(nginx/\w+\.sh|compose\.yaml)|\./(write_env\.sh)", GUIDE)
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
    command = (DEPLOY / "write_env.sh", "playground.example.edu", "cu130", file)
    run(*command, check=True)
    written = file.read_text("utf-8")
    assert file.stat().st_mode & 0o077 == 0
    run(*command, check=True)
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
    checked = run("sh", "-n", script)

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

    complaints = run(analyze, "verify", "--man=no", unit).stderr.splitlines()

    assert [line for line in complaints if "torch-playground" in line] == []


def test_the_unit_and_the_container_bound_memory_and_survive_its_end() -> None:
    found = dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text("utf-8"), re.MULTILINE))

    assert found["OOMPolicy"] == "continue"  # else one killed worker ends the service
    assert found["Restart"] == "always"
    assert {"MemoryHigh", "MemoryMax", "TimeoutStopSec"} <= set(found)
    assert "PrivateDevices" not in found  # it would hide the GPU


# -- docs/hosting.md, as far as its lines can be followed without a machine of their own -----------

BLOCKS = re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
IN_A_CONTAINER = re.compile(r"docker compose (exec -T|run --rm -T) app ")
FOR_DOCKER = re.compile(r"^sudo docker compose (stop|up) .*\n", re.MULTILINE)
METRICS = [ROOT / "hosting" / name for name in ("metrics.py", "operator_api.py")]
TAKE = ROOT / "deploy" / "nginx" / "take_certificate.sh"


def follow(block: str, data: Path, backups: Path) -> None:
    """What the block says inside the container, with folders of the test for the container's."""
    lines = FOR_DOCKER.sub("", IN_A_CONTAINER.sub("", block)).replace("sudo ", "")
    lines = lines.replace(".venv/bin/python", sys.executable)
    lines = lines.replace("/var/backups", str(backups)).replace("/data/", f"{data}/")
    assert "docker" not in lines
    run("bash", "-euo", "pipefail", "-c", lines, check=True)


def the_block(sign: str) -> str:
    (found,) = (block for block in BLOCKS if "docker compose" in block and sign in block)
    return found


def answers(database: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT text FROM answers").fetchall()


def test_every_block_can_be_read_by_the_shell() -> None:
    assert len(BLOCKS) >= 8
    for block in BLOCKS:
        read = run("bash", "-n", "-c", block)
        assert (read.returncode, read.stderr) == (0, ""), block


def test_a_fresh_machine_updates_its_list_of_packages_before_it_installs_one() -> None:
    lines = [line for block in BLOCKS for line in block.splitlines() if "apt-get install" in line]

    assert len(lines) >= 3
    assert [line for line in lines if not line.startswith("sudo apt-get update && ")] == []


def test_a_backup_is_made_again_and_again_and_brings_back_what_there_was(tmp_path: Path) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    data.mkdir()
    backups.mkdir()
    running = sqlite3.connect(data / "progress.sqlite")
    running.executescript("PRAGMA journal_mode=WAL; CREATE TABLE answers (text)")
    for number in (1, 2):
        running.execute("INSERT INTO answers VALUES (?)", (f"answer {number}",))
        running.commit()
        follow(the_block("VACUUM"), data, backups)
    running.execute("INSERT INTO answers VALUES ('too late')")
    running.commit()
    (kept,) = backups.iterdir()
    left = (data / "progress.sqlite-wal").read_bytes()
    running.close()
    (data / "progress.sqlite-wal").write_bytes(left)  # as a server that was killed leaves it

    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [file.name for file in data.glob("backup*")] == []
    follow(the_block("run --rm"), data, backups)
    assert answers(data / "progress.sqlite") == [("answer 1",), ("answer 2",)]


def take(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    fetched = folder / "fetched"
    fetched.mkdir()
    for part in ("fullchain.pem", "privkey.pem"):
        (fetched / part).write_text(f"new {part}", "utf-8")
    variables = {"RENEWED_LINEAGE": str(fetched), "PATH": "/usr/bin:/bin"}
    return run(TAKE, folder, *command, env=variables)


def test_a_certificate_is_taken_silently(tmp_path: Path) -> None:
    taken = take(tmp_path, "sh", "-c", "echo Killing proxy >&2")

    assert (taken.returncode, taken.stdout, taken.stderr) == (0, "", "")
    for part in ("fullchain.pem", "privkey.pem"):
        assert (tmp_path / part).read_text("utf-8") == f"new {part}"
        assert stat.S_IMODE((tmp_path / part).stat().st_mode) == 0o600


def test_a_certificate_that_nginx_does_not_take_is_reported(tmp_path: Path) -> None:
    taken = take(tmp_path, "sh", "-c", "echo no such service >&2; exit 3")

    assert taken.returncode != 0
    assert "no such service" in taken.stderr


def test_prometheus_finds_the_metrics_and_alerts_use_those_that_exist() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    (job,) = yaml.safe_load(text)
    asked = set(re.findall(r"playground_[a-z_]+(?=[{\[\s`])", GUIDE))
    written = "".join(file.read_text("utf-8") for file in METRICS)

    assert f'"{job["metrics_path"]}"' in written
    assert f'up{{job="{job["job_name"]}"}} == 0' in GUIDE
    assert job["authorization"]["credentials_file"] in "".join(BLOCKS)
    assert len(asked) >= 7
    names = {re.sub("_(bucket|total)$", "", name) for name in asked}
    assert [name for name in sorted(names) if f'"{name}"' not in written] == []
