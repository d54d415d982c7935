"""A machine for deploy/install.sh: a mount namespace with /etc, /opt and /var of its own.

systemd, nginx and the packages are stood in for; the one for ``systemctl`` keeps the links that the
real one keeps, and writes down what it was told.
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
