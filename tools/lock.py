"""Writes uv.lock from pyproject.toml, and requirements*.txt from uv.lock: ``make lock``.

The requirements leave out the CUDA packages that PyPI's torch for Linux depends on: they belong to
one build of torch, which ``tools/install_torch.sh`` chooses, and come with it.
"""

import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INDEX = "https://pypi.org/simple"
HEADER = "# Written by `make lock` from uv.lock; pyproject.toml says what each is for.\n"
EXTRAS = {
    "requirements.txt": (),
    "requirements-postgresql.txt": ("--extra", "postgresql"),
    "requirements-ray.txt": ("--extra", "ray"),
    "requirements-dev.txt": ("--group", "dev"),
}
FORMAT = (
    "--no-default-groups",
    "--no-hashes",
    "--no-annotate",
    "--no-header",
    "--no-emit-project",
)
OF_CUDA = ("nvidia-", "cuda-", "triton")
DRIVER_READINGS = "nvidia-ml-py"  # ours, and needs no CUDA


def uv(*arguments: str) -> str:
    """Run uv in the project, and return what it prints.

    Raises:
        CalledProcessError: It failed; its reason is on stderr.
    """
    program = Path(sysconfig.get_path("scripts")) / "uv"
    others = {name: text for name, text in os.environ.items() if not name.startswith("UV_")}
    command = [str(program), *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=others, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def cuda_packages() -> list[str]:
    """Return the packages of CUDA in the lock, which all come with torch."""
    locked = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    names = [each["name"] for each in locked]
    return [name for name in names if name.startswith(OF_CUDA) and name != DRIVER_READINGS]


def requirements(name: str) -> str:
    """Return the text of a file of requirements, made from the lock alone."""
    pruned = [word for package in cuda_packages() for word in ("--prune", package)]
    return HEADER + uv("export", "--quiet", "--frozen", *FORMAT, *EXTRAS[name], *pruned)


def main() -> int:
    """Lock, and write the requirements; arguments go to ``uv lock``, e.g. ``--upgrade``."""
    uv("lock", "--default-index", INDEX, *sys.argv[1:])
    for name in EXTRAS:
        (ROOT / name).write_text(requirements(name), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
