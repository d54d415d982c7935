"""Whether two computers have the same playground: results must not depend on the node."""

import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
DECIDING = ("torch", "numpy", "pebble")


@cache
def fingerprint() -> str:
    """A digest of the playground's own code and of the versions that decide what it answers.

    The build is left out: torch for the CPU and for CUDA are one version.
    """
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    for name in DECIDING:
        digest.update(f"{name} {metadata.version(name).partition('+')[0]}".encode())
    return digest.hexdigest()
