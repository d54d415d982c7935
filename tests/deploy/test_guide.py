"""docs/hosting.md, as far as its lines can be followed without a machine of their own."""

import re
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import yaml

from tests.hosting.server import ROOT

GUIDE = "\n".join((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("hosting", "ray"))
BLOCKS = re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
IN_A_CONTAINER = re.compile(r"docker compose (exec -T|run --rm -T) app ")
FOR_DOCKER = re.compile(r"^sudo docker compose (stop|up) .*\n", re.MULTILINE)
METRICS = [ROOT / "hosting" / name for name in ("metrics.py", "operator_api.py")]
TAKE = ROOT / "deploy" / "nginx" / "take_certificate.sh"
SECONDS = 60.0


def follow(block: str, data: Path, backups: Path) -> None:
    """What the block says inside the container, with folders of the test for the container's."""
    lines = FOR_DOCKER.sub("", IN_A_CONTAINER.sub("", block)).replace("sudo ", "")
    lines = lines.replace(".venv/bin/python", sys.executable)
    lines = lines.replace("/var/backups", str(backups)).replace("/data/", f"{data}/")
    assert "docker" not in lines
    subprocess.run(["bash", "-euo", "pipefail", "-c", lines], check=True, timeout=SECONDS)


def the_block(sign: str) -> str:
    (found,) = (block for block in BLOCKS if "docker compose" in block and sign in block)
    return found


def answers(database: Path) -> list[tuple[str]]:
    connection = sqlite3.connect(database)
    try:
        return connection.execute("SELECT text FROM answers").fetchall()
    finally:
        connection.close()


def test_every_block_can_be_read_by_the_shell() -> None:
    assert len(BLOCKS) >= 8
    for block in BLOCKS:
        read = subprocess.run(["bash", "-n", "-c", block], capture_output=True, timeout=SECONDS)
        assert (read.returncode, read.stderr) == (0, b""), block


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
    return subprocess.run(
        [str(TAKE), str(folder), *command],
        env={"RENEWED_LINEAGE": str(fetched), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


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
