"""install.sh, run again on a machine: it keeps what is there, and ends what is no longer named.

bootstrap.sh brings it there. The machine is a mount namespace with /etc, /opt and /var of its own.
systemd, nginx, Debian's packages and ours are stood in for; the one for ``systemctl`` keeps the
links that the real one keeps, and writes down what it was told.
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
CERTBOT = '#!/bin/sh\necho "certbot $*" >> /var/told\n'
STAND_INS = {
    **{"systemctl": SYSTEMCTL, "curl": CURL, "certbot": CERTBOT},
    **dict.fromkeys(("apt-get", "nginx", PYTHON), NOTHING),
}
SOURCES = ("deploy", "pyproject.toml", "requirements.txt", "tools", "uv.lock")
RUNS = ("app.py", *(f"{name}/x" for name in (".streamlit", "hosting", "pages", "playground", "ui")))
PINNED, NEXT = "v1.0.0", "v1.1.0"


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
        self.write("etc/os-release", 'ID=debian\nVERSION_ID="12"\n')
        self.write("etc/ssl/openssl.cnf", "[req]\ndistinguished_name = name\n[name]\n")
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

    def run(
        self, script: str, *words: object, **more: str
    ) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        """Run a script of deploy/; what it printed, and what the stand-ins were told."""
        output, versions = self.folder / "var/told", self.folder / "opt/torch-playground/versions"
        shutil.rmtree(versions, ignore_errors=True)  # a folder has the second as its name
        output.parent.mkdir(exist_ok=True)
        output.write_text("", "utf-8")
        command = [str(ROOT / "deploy" / script), *map(str, words)]
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        printed = subprocess.run(
            [*NAMESPACE, "sh", "-c", ENTER, str(self.folder), *command],
            env={"PATH": path, **more},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        return printed, output.read_text("utf-8").splitlines()

    def install(self, *ports: int) -> list[str]:
        """Run install.sh; what systemctl and curl were told."""
        printed, told = self.run("install.sh", NAME, "cpu", *ports)
        assert printed.returncode == 0, printed.stderr
        return told

    def bootstrap(self, *words: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        """Run bootstrap.sh; what it printed, and what certbot was told."""
        repository = f"file://{self.folder / 'repository'}"
        printed, told = self.run("bootstrap.sh", *words, REPOSITORY=repository, TORCH="cpu")
        return printed, [line for line in told if line.startswith("certbot")]

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


@pytest.fixture
def released(machine):
    """A machine that can fetch two releases; of what runs there is little in them."""
    repository = machine.folder / "repository"
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        repository.mkdir(exist_ok=True)
        copy(ROOT / name, repository / name)
    git = ("git", "-C", repository, "-c", "user.name=x", "-c", "user.email=x@example.edu")
    subprocess.run([*git, "init", "-q"], check=True)
    for release in (PINNED, NEXT):
        for name in RUNS:
            machine.write(f"repository/{name}", release)
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", release], check=True)
        subprocess.run([*git, "tag", release], check=True)
    return machine


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


def test_a_new_version_keeps_all_that_are_there_until_nginx_has_let_go_of_those_not_named(machine):
    machine.install(8501, 8502, 8503)
    output, answer = machine.install(), "ask http://127.0.0.1:8501/api/health"

    assert output[-1] == answer  # how it says what works
    assert machine.replicas == {f"127.0.0.1:{port}" for port in (8501, 8502, 8503)}
    first, second = (f"restart {unit(port)}" for port in (8501, 8502))
    assert output.index(first) < output.index(answer) < output.index(second)

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


def test_one_line_hosts_a_release_and_again_another_with_the_codes_of_the_first(released):
    (released.folder / "etc/torch-playground/certificate/fullchain.pem").unlink()
    settings, codes = released.folder / "etc/torch-playground.env", ""
    for release in (PINNED, NEXT):
        printed, told = released.bootstrap(NAME, "teacher@example.edu", release)

        assert printed.returncode == 0, printed.stderr
        current = (released.folder / "opt/torch-playground/current").readlink()
        running = released.folder / current.relative_to("/") / "app.py"
        assert running.read_text("utf-8") == release
        assert len(told) == 1
        assert f"-d {NAME} --non-interactive --agree-tos -m teacher@example.edu" in told[0]
        codes = codes or "\n".join(printed.stdout.splitlines()[-2:])
        assert codes in settings.read_text("utf-8")
        assert printed.stdout.endswith(f"{codes}\n")


def test_a_certificate_of_the_operators_own_stays(released):
    """One that an authority has signed, and not certbot's."""
    folder = released.folder / "etc/torch-playground/certificate"
    new = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes")
    for name, signer in (
        ("authority", ()),
        ("own", ("-CA", "authority.pem", "-CAkey", "authority.key")),
    ):
        made = ("-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        subprocess.run([*new, *made, *signer], cwd=folder, check=True, capture_output=True)
    (folder / "own.pem").replace(folder / "fullchain.pem")
    own = (folder / "fullchain.pem").read_bytes()

    printed, told = released.bootstrap(NAME, "teacher@example.edu", PINNED)

    assert (printed.returncode, told) == (0, []), printed.stderr
    assert (folder / "fullchain.pem").read_bytes() == own


@pytest.mark.parametrize(
    ("words", "system", "sentence"),
    [
        ((NAME,), "", "Say what students type and your e-mail address"),
        (("203.0.113.7", "a@b.edu"), "", "take 203-0-113-7.sslip.io"),
        (("https://a.edu", "a@b.edu"), "", "'https://a.edu' is no host name"),
        ((NAME, "nobody"), "", "'nobody' is no e-mail address"),
        ((NAME, "a@b.edu"), "ID=fedora\nVERSION_ID=44\n", "This is fedora 44"),
    ],
)
def test_what_it_cannot_do_it_says_before_it_begins(machine, words, system, sentence):
    if system:
        machine.write("etc/os-release", system)
    printed, told = machine.bootstrap(*words)

    assert (printed.returncode, printed.stdout, told) == (1, "", [])
    assert sentence in printed.stderr
    assert not (machine.folder / "opt/torch-playground/source").exists()
