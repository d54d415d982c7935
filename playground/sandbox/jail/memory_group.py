"""Whether the service as a whole has a bound on its memory; reads the kernel's control groups."""

from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
UNBOUNDED = 2**60


def is_bounded() -> bool:
    """Whether this process, or a group around it, has a limit on memory."""
    try:
        lines = OWN.read_text("utf-8").splitlines()
    except OSError:
        return False
    places = []
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            places.append((ROOT, path, "memory.max"))
        elif "memory" in controllers.split(","):
            places.append((ROOT / "memory", path, "memory.limit_in_bytes"))
    return any(_is_bounded(*place) for place in places)


def _is_bounded(root: Path, path: str, name: str) -> bool:
    group = root / path.lstrip("/")
    for place in (group, *group.parents):
        try:
            limit = (place / name).read_text("ascii").strip()
        except OSError:
            limit = "max"
        if limit != "max" and int(limit) < UNBOUNDED:
            return True
        if place == root:
            break
    return False
