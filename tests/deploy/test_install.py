"""install.sh, run again on a machine: it keeps what is there, and ends what is no longer named.

The machine is a mount namespace with /etc, /opt and /var of its own. systemd, nginx and the
packages are stood in for; the one for ``systemctl`` keeps the links that the real one keeps, and
writes down what it was told.
"""

import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from tests.hosting.server import ROOT

NAME = "playground.example.edu"
SECONDS = 120.0
OWN = ("etc", "opt", "var")
NAMESPACE = ("unshare", "--map-root-user", "--mount")
ENTER = " && ".join([*(f'mount --bind "$0/{name}" /{name}' for name in OWN), 'exec "$@"'])
WANTED = "/etc/systemd/system/multi-user.target.wants"
USERS = "root:x:0:0::/root:/bin/sh\ntorch-playground:x:999:999::/nowhere:/bin/sh\n"
NOTHING = "#!/bin/sh\n"
LAST = 'for last in "$@"; do :; done'
SYSTEMCTL = f"""#!/bin/sh
{LAST}
mkdir -p {WANTED}
case $1 in
  enable) ln -sf "/etc/systemd/system/${{last%@*}}@.service" "{WANTED}/$last.service" ;;
  disable) rm "{WANTED}/$last.service" ;;
esac
echo "$1 $last" >> /var/told
"""
CURL = f'#!/bin/sh\n{LAST}\necho "ask $last" >> /var/told\n'
PYTHON = "python3.14"  # the newest that is supported
STAND_INS = {"systemctl": SYSTEMCTL, "curl": CURL, "nginx": NOTHING, PYTHON: NOTHING}


class Machine:
    """A folder that holds a machine's own part of its files."""

    def __init__(self, folder: Path) -> None:
        probed = subprocess.run([*NAMESPACE, "true"], capture_output=True, timeout=SECONDS)
        if probed.returncode or ROOT.parts[1] in OWN:
            pytest.skip("no namespace in which install.sh could run")
        self.folder = folder
        locked = sha256(b"postgresql\n" + (ROOT / "uv.lock").read_bytes()).hexdigest()[:12]
        packages = f"opt/torch-playground/packages/cpu-{PYTHON}-{locked}"
        self.write("etc/passwd", USERS)
        self.write("etc/group", "root:x:0:\n")
        self.write("etc/torch-playground/certificate/fullchain.pem", "")
        self.write(f"{packages}/is-complete", "")
        self.write(f"{packages}/bin/python", NOTHING)
        for name, text in STAND_INS.items():
            self.write(f"bin/{name}", text)
        for name in ("etc/nginx", "etc/systemd/system"):
            (folder / name).mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        file.chmod(0o755)

    def add_setting(self, line: str) -> None:
        with (self.folder / "etc/torch-playground.env").open("a", encoding="utf-8") as settings:
            settings.write(f"{line}\n")

    def install(self, *ports: int) -> list[str]:
        """Run install.sh; what systemctl and curl were told."""
        output, versions = self.folder / "var/told", self.folder / "opt/torch-playground/versions"
        shutil.rmtree(versions, ignore_errors=True)  # a folder has the second as its name
        output.parent.mkdir(exist_ok=True)
        output.write_text("", "utf-8")
        script = [str(ROOT / "deploy" / "install.sh"), NAME, "cpu", *map(str, ports)]
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        subprocess.run(
            [*NAMESPACE, "sh", "-c", ENTER, str(self.folder), *script],
            env={"PATH": path},
            check=True,
            timeout=SECONDS,
        )
        return output.read_text("utf-8").splitlines()

    @property
    def units(self) -> set[str]:
        """Those that start with the machine."""
        return {link.name for link in (self.folder / WANTED.lstrip("/")).iterdir()}

    @property
    def replicas(self) -> set[str]:
        """Those that nginx knows."""
        lines = (self.folder / "etc/nginx/replicas.conf").read_text("utf-8").splitlines()
        return {line.split()[1] for line in lines if line.strip().startswith("server ")}


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def unit(port: int) -> str:
    return f"torch-playground@{port}"


def test_the_first_time_there_is_one_and_one_that_listens_elsewhere_is_asked_there(machine):
    output = machine.install()

    assert machine.units == {"nginx.service", f"{unit(8501)}.service"}
    assert machine.replicas == {"127.0.0.1:8501"}
    assert output.index(f"restart {unit(8501)}") < output.index("reload-or-restart nginx")

    machine.add_setting("STREAMLIT_SERVER_ADDRESS=10.0.0.12")
    assert "ask http://10.0.0.12:8501/api/health" in machine.install()
    assert machine.replicas == {"10.0.0.12:8501"}


def test_a_new_version_keeps_all_that_are_there(machine):
    machine.install(8501, 8502)
    output = machine.install()

    assert output[-1] == "ask http://127.0.0.1:8501/api/health"  # how it says what works
    assert machine.replicas == {"127.0.0.1:8501", "127.0.0.1:8502"}
    first, answer = f"restart {unit(8501)}", "ask http://127.0.0.1:8501/api/health"
    assert output.index(first) < output.index(answer) < output.index(f"restart {unit(8502)}")


def test_one_that_is_no_longer_named_ends_once_nginx_has_let_go_of_it(machine):
    machine.install(8501, 8502, 8503)
    output = machine.install(8502)

    assert machine.units == {"nginx.service", f"{unit(8502)}.service"}
    assert machine.replicas == {"127.0.0.1:8502"}
    ended = [line for line in output if line.startswith("disable ")]
    assert sorted(ended) == [f"disable {unit(8501)}", f"disable {unit(8503)}"]
    assert output.index("reload-or-restart nginx") < min(map(output.index, ended))


def test_replicas_on_several_machines_stay_with_a_new_version(machine):
    machine.install()
    machine.add_setting('REPLICAS="127.0.0.1:8501 10.0.0.12:8501"')

    for _ in range(2):
        output = machine.install()
        assert machine.replicas == {"127.0.0.1:8501", "10.0.0.12:8501"}
        assert "ask http://127.0.0.1:8501/api/health" in output
