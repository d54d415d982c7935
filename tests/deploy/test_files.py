"""Dockerfiles, compose, pods and units, which no test can run here, agree with the rest.

The command of the Space and the lines of docs/hosting.md are followed as far as this machine can.
"""

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
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from hosting.settings import SANDBOX_VARIABLES, Settings, read, variable
from tests.fresh import run_fresh
from tests.hosting.browser import click
from tests.hosting.server import ROOT, Server, environment, free_port, wait
from tests.waiting import MAX_SECONDS

DEPLOY = ROOT / "deploy"
GUIDE = "\n".join((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("hosting", "ray"))
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
    words = [str(part) for part in command]
    return subprocess.run(words, capture_output=True, text=True, timeout=MAX_SECONDS, **more)


def instructions(file: Path) -> list[tuple[str, str]]:
    """Of a Dockerfile, continued lines as one."""
    joined = re.sub(r"\\\n", " ", file.read_text("utf-8"))
    return re.findall(r"^([A-Z]+) +(.*?) *$", joined, re.MULTILINE)


IMAGE = instructions(DEPLOY / "Dockerfile")
SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
SPACE = DEPLOY / "examples" / "huggingface"
MANIFEST = {
    each["kind"]: each
    for each in yaml.safe_load_all((DEPLOY / "examples" / "kubernetes.yaml").read_text("utf-8"))
}
POD = MANIFEST["Deployment"]["spec"]["template"]
(CONTAINER,) = POD["spec"]["containers"]


# -- names: what a file names exists ---------------------------------------------------------------


def test_every_setting_that_is_named_exists():
    known = {variable(field.name) for field in fields(Settings)} | SANDBOX_VARIABLES
    known |= {f"{name}_FILE" for name in known}
    files = [file for file in DEPLOY.rglob("*") if file.is_file()]
    texts = [GUIDE, *(file.read_text("utf-8") for file in files)]
    named = {name for text in texts for name in OURS.findall(text)}

    assert {"PLAYGROUND_CLASS_CODE", "PLAYGROUND_DATA_FOLDER"} <= named
    assert named - known == set()


def test_every_file_that_the_guide_names_exists():
    below_the_root = re.findall(r"(?<![\w/])(deploy/[\w./@-]+\w)", GUIDE)
    below_deploy = re.findall(r"\$PWD/(nginx/\w+\.sh|compose\.yaml)|\./(write_env\.sh)", GUIDE)
    named = {*below_the_root, *(f"deploy/{one or other}" for one, other in below_deploy)}
    assert {"deploy/install.sh", "deploy/write_env.sh", "deploy/compose.yaml"} <= named
    assert {name for name in named if not (ROOT / name).exists()} <= {"deploy/.env"}  # is written


def test_the_image_copies_what_exists_and_everything_that_runs():
    rests = [rest for word, rest in IMAGE if word == "COPY" and not rest.startswith("--from")]
    copied = [source for rest in rests for source in rest.split()[:-1]]
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()

    assert [source for source in copied if not (ROOT / source).exists()] == []
    assert [f"!{source}" for source in copied if f"!{source}" not in allowed] == []
    imported = json.loads(run_fresh(LIST_IMPORTS).splitlines()[-1])
    assert {*imported, "pages", ".streamlit"} <= {each.removesuffix(".py") for each in copied}


# -- privileges, trust, limits ---------------------------------------------------------------------


def test_the_images_are_pinned_and_run_as_a_user():
    words = [word for word, _ in IMAGE]

    assert all(rest.startswith("${PYTHON}") for word, rest in IMAGE if word == "FROM")
    assert [rest for word, rest in IMAGE if word == "ARG" and BASE.fullmatch(rest)]
    assert "/api/health" in dict(IMAGE)["HEALTHCHECK"]
    assert dict(IMAGE)["USER"] == "playground"
    assert words.index("USER") < words.index("CMD")
    space = instructions(SPACE / "Dockerfile")
    assert "useradd --uid 1000 --create-home user " in "".join(rest for _, rest in space)
    assert [word for word, _ in space][-4:] == ["USER", "ENV", "EXPOSE", "CMD"]
    assert dict(space)["USER"] == "user"


def test_containers_have_no_privilege_and_only_the_proxy_a_port():
    for name in ("app", "app-2", "proxy"):
        assert SERVICES[name]["read_only"] is True
        assert SERVICES[name]["cap_drop"] == ["ALL"]
        assert SERVICES[name]["security_opt"] == ["no-new-privileges:true"]
        assert SERVICES[name]["mem_limit"]
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert "healthcheck" in SERVICES["proxy"]  # else "up --wait" does not notice that it ends
    assert "cap_add" not in SERVICES["app"]
    gpu = yaml.safe_load((DEPLOY / "compose.gpu.yaml").read_text("utf-8"))
    assert set(gpu["services"]) <= set(SERVICES)

    own, around = CONTAINER["securityContext"], POD["spec"]["securityContext"]
    (uid,) = re.findall(r"--uid (\d+)", "".join(rest for _, rest in IMAGE))
    assert around["seccompProfile"] == {"type": "RuntimeDefault"}
    assert (around["runAsNonRoot"], around["runAsUser"]) == (True, int(uid))
    assert own["capabilities"] == {"drop": ["ALL"]}
    assert (own["allowPrivilegeEscalation"], own["readOnlyRootFilesystem"]) == (False, True)
    assert CONTAINER["resources"]["limits"]["memory"]
    assert POD["spec"]["enableServiceLinks"] is False  # else *_SERVICE_HOST are in its environment


def test_the_application_believes_the_proxy_and_nobody_else():
    address = SERVICES["proxy"]["networks"]["inside"]["ipv4_address"]

    for name in ("app", "app-2"):
        assert SERVICES[name]["environment"] == {"FORWARDED_ALLOW_IPS": address}
        assert SERVICES[name]["networks"]["inside"]["ipv4_address"] != address
    own = SERVICES["app"]["networks"]["inside"]["ipv4_address"]
    assert f"{own}:8501" in SERVICES["proxy"]["environment"]["REPLICAS"]


def test_the_unit_is_valid_bounds_memory_and_survives_its_end(tmp_path):
    text = UNIT.read_text("utf-8")
    found = dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))
    assert found["OOMPolicy"] == "continue"  # else one killed worker ends the service
    assert found["Restart"] == "always"
    assert {"MemoryHigh", "MemoryMax", "TimeoutStopSec"} <= set(found)
    assert "PrivateDevices" not in found  # it would hide the GPU

    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "torch-playground@8501.service"
    unit.write_text(text.replace(PROGRAM, "/bin/true"), "utf-8")
    complaints = run(analyze, "verify", "--man=no", unit).stderr.splitlines()
    assert [line for line in complaints if "torch-playground" in line] == []


# -- scripts and the Space -------------------------------------------------------------------------


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_scripts_are_posix_and_may_be_run(script):
    checked = run("sh", "-n", script)
    assert checked.returncode == 0, checked.stderr
    assert os.access(script, os.X_OK)
    assert script.read_text("utf-8").splitlines()[0] == "#!/bin/sh"


def test_what_a_new_settings_file_says_can_be_meant(tmp_path):
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


def test_the_space_is_a_page_in_the_frame_of_hugging_face_with_a_closed_lab(tmp_path):
    """The command of the image, with another port and folder."""
    found, name = dict(instructions(SPACE / "Dockerfile")), "someone-torch-playground.hf.space"
    front_matter = yaml.safe_load((SPACE / "README.md").read_text("utf-8").split("---")[1])
    assert (front_matter["sdk"], str(front_matter["app_port"])) == ("docker", found["EXPOSE"])
    port = free_port()
    given = dict(pair.split("=", 1) for pair in found["ENV"].split())
    given |= {"SPACE_HOST": name, "PLAYGROUND_DATA_FOLDER": str(tmp_path), "HOME": str(tmp_path)}
    given["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    given["STREAMLIT_SERVER_ADDRESS"] = "127.0.0.1"
    here = found["CMD"].replace(f"--server.port={found['EXPOSE']}", f"--server.port={port}")
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            ["sh", "-c", here], cwd=ROOT, env={**environment(), **given}, stdout=log, stderr=log
        )
    space = Server(tmp_path, {}, port=port)
    try:
        wait(process, port, tmp_path / "log")
        page = space.ask("GET", "/", headers={"host": name})
        with space.connect({"origin": f"https://{name}"}) as tab:
            assert click(tab) == ForwardMsg.FINISHED_SUCCESSFULLY
        assert space.refusal({"origin": "https://evil.example"}) == 403
        parts = json.loads(space.ask("GET", "/api/health").body)["parts"]
    finally:
        process.terminate()
        process.wait(MAX_SECONDS)

    assert page.status == 200
    framing = "frame-ancestors 'self' https://huggingface.co"
    assert framing in page.headers["content-security-policy"]
    assert (parts["sandbox"], given["PLAYGROUND_LAB"]) == ("closed", "off")


# -- docs/hosting.md, as far as its lines can be followed without a machine of their own -----------

BLOCKS = re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
IN_A_CONTAINER = re.compile(r"docker compose (exec -T|run --rm -T) app ")
FOR_DOCKER = re.compile(r"^sudo docker compose (stop|up) .*\n", re.MULTILINE)
METRICS = [ROOT / "hosting" / name for name in ("logs_and_metrics.py", "operator_api.py")]
TAKE = ROOT / "deploy" / "nginx" / "take_certificate.sh"


def follow(sign: str, data: Path, backups: Path) -> None:
    """Run a block as in the container, with folders of the test for the container's."""
    (block,) = (block for block in BLOCKS if "docker compose" in block and sign in block)
    lines = FOR_DOCKER.sub("", IN_A_CONTAINER.sub("", block)).replace("sudo ", "")
    lines = lines.replace(".venv/bin/python", sys.executable)
    lines = lines.replace("/var/backups", str(backups)).replace("/data/", f"{data}/")
    assert "docker" not in lines
    run("bash", "-euo", "pipefail", "-c", lines, check=True)


def test_every_block_can_be_read_by_the_shell_and_updates_before_it_installs():
    assert len(BLOCKS) >= 8
    for block in BLOCKS:
        checked = run("bash", "-n", "-c", block)
        assert (checked.returncode, checked.stderr) == (0, ""), block
    lines = [line for block in BLOCKS for line in block.splitlines() if "apt-get install" in line]
    assert len(lines) >= 3
    assert [line for line in lines if not line.startswith("sudo apt-get update && ")] == []


def test_a_backup_is_made_again_and_again_and_brings_back_what_there_was(tmp_path):
    data, backups = tmp_path / "data", tmp_path / "backups"
    data.mkdir()
    backups.mkdir()
    running = sqlite3.connect(data / "progress.sqlite")
    running.executescript("PRAGMA journal_mode=WAL; CREATE TABLE answers (text)")
    for number in (1, 2):
        running.execute("INSERT INTO answers VALUES (?)", (f"answer {number}",))
        running.commit()
        follow("VACUUM", data, backups)
    running.execute("INSERT INTO answers VALUES ('too late')")
    running.commit()
    (kept,) = backups.iterdir()
    left = (data / "progress.sqlite-wal").read_bytes()
    running.close()
    (data / "progress.sqlite-wal").write_bytes(left)  # as a server that was killed leaves it

    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [file.name for file in data.glob("backup*")] == []
    follow("run --rm", data, backups)
    with closing(sqlite3.connect(data / "progress.sqlite")) as restored:
        answers = restored.execute("SELECT text FROM answers").fetchall()
    assert answers == [("answer 1",), ("answer 2",)]


@pytest.mark.parametrize(
    ("reload", "is_silent"),
    [("echo Killing proxy >&2", True), ("echo no such service >&2; exit 3", False)],
)
def test_a_certificate_is_taken_silently_unless_nginx_does_not_take_it(tmp_path, reload, is_silent):
    fetched, parts = tmp_path / "fetched", ("fullchain.pem", "privkey.pem")
    fetched.mkdir()
    for part in parts:
        (fetched / part).write_text(f"new {part}", "utf-8")
    variables = {"RENEWED_LINEAGE": str(fetched), "PATH": "/usr/bin:/bin"}
    taken = run(TAKE, tmp_path, "sh", "-c", reload, env=variables)

    assert (taken.returncode == 0) is is_silent
    assert (taken.stdout + taken.stderr == "") is is_silent
    assert ("no such service" in taken.stderr) is not is_silent
    for part in parts:
        assert (tmp_path / part).read_text("utf-8") == f"new {part}"
        assert stat.S_IMODE((tmp_path / part).stat().st_mode) == 0o600


def test_prometheus_finds_the_metrics_and_alerts_use_those_that_exist():
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
