"""Which worker of the tests runs what: nothing that takes seconds to start is started twice.

The tests of a file stay together, so that what the file starts serves all of them; so do the files
that share a server, a jail, or workers. What waits for long begins first, while there is other work
to do beside it.
"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

SHARES = {
    "the server that is broken": ("tests/faults/",),
    "the jail that is attacked": ("tests/sandbox/jail/",),
    "the jail of the web process": (
        "tests/checkpoints/test_judging.py",
        "tests/checkpoints/test_load",
        "tests/checkpoints/test_numbers.py",
        "tests/pages/test_xray.py",
        "tests/sandbox/test_cell_programs.py",
        "tests/sandbox/test_run.py",
        "tests/sandbox/test_student_habits.py",
    ),
    "workers": (
        "tests/compute/test_cache.py",
        "tests/compute/test_gpu_sharing.py",
        "tests/compute/test_queue.py",
        "tests/compute/test_run.py",
        "tests/compute/test_streaming.py",
        "tests/compute/test_torch_state.py",
        "tests/compute/test_turnstile.py",
    ),
    "a database server": ("tests/hosting/progress/",),
}
LONG = (
    "tests/compute/cluster/test_cluster.py",
    "tests/deploy/",
    *(folder for folders in SHARES.values() for folder in folders),
    "tests/test_export.py",
    "tests/test_new_lesson.py",
    "tests/hosting/",
    "tests/benchmarks/",
)


def arrange(items: list[pytest.Item]) -> None:
    """Put what waits first, in the order above."""
    turns = dict(zip(LONG, range(len(LONG)), strict=True))

    def turn(item: pytest.Item) -> int:
        return next((turns[path] for path in LONG if item.nodeid.startswith(path)), len(LONG))

    items.sort(key=turn)


def scheduler(config: pytest.Config, log: Any) -> "LoadFileScheduling":
    """Hands out files, and all files together that share something, in the order of the tests."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            shared = (what for what, paths in SHARES.items() if nodeid.startswith(paths))
            return next(shared, str(super()._split_scope(nodeid)))

    config.option.loadscopereorder = False  # which would begin with the file of most tests
    return Together(config, log)
