import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.fresh import run_fresh
from tests.waiting import MAX_SECONDS

ROOT = Path(__file__).parents[2]
BESIDE_NVCC = """
import importlib
import sys
sys.stderr = sys.stdout
from playground.compute import worker_process
worker_process.warm_up(hides_cuda=True)
import torch
torch.cuda._is_compiled, torch.version.cuda = lambda: True, "13.0"  # as in a build for CUDA
torch.cuda.is_available = lambda: False
import torch.utils.cpp_extension as extension
assert importlib.reload(extension).CUDA_HOME == "/opt/cuda"
"""


def run_server(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script from a folder that is not the project's, its code on the path as in a server."""
    script = folder / "server.py"
    script.write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{program}", "utf-8")
    return subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=MAX_SECONDS,
        check=False,
    )


def test_it_never_imports_torch_nothing_stays_and_workers_do_not_run_its_script_again(tmp_path):
    program = """
import os
import psutil
print("main script runs", flush=True)
from playground import compute
from playground.compute.pool import WorkerPool
from playground.compute.runner import Runner
from playground.compute.start_method import Spawn, fastest_context
from playground.machines import Machine, MachineKind
from tests.compute.probe.records import AddUp, SeeProcess
environment = dict(os.environ)
compute.start()
for count in (3, 4, 4):
    compute.run(AddUp(count=count))
seen = [compute.run(SeeProcess())]
assert seen[0].was_forked_warm or sys.platform != "linux"
contexts = {"cpu": fastest_context(), "gpu": Spawn()}
runner = Runner(lambda: {
    name: WorkerPool(name, workers=1, context=context, hides_cuda=True)
    for name, context in contexts.items()
})
for kind in MachineKind:
    seen.append(runner.run(SeeProcess(machine=Machine(kind=kind))))
    print(kind, seen[-1].was_forked_warm, seen[-1].main_file, flush=True)
runner.stop()
assert "torch" not in sys.modules and "numpy" not in sys.modules
assert dict(os.environ) == environment
compute.stop()
compute.stop()
left = [child.cmdline() for child in psutil.Process().children(recursive=True)]
assert all("resource_tracker" in " ".join(words) for words in left), left
assert not any(psutil.pid_exists(each.pid) for each in seen)
assert compute.status().pools == ()
"""
    done = run_server(program, tmp_path)

    is_warm = sys.platform == "linux"
    printed = f"main script runs\nreal False None\nsimulated {is_warm} None\n"
    assert (done.stdout, done.stderr) == (printed, "")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_busy_worker_does_not_outlive_a_server_that_is_killed(tmp_path, until):
    program = """
from playground import compute
from tests.compute.probe.records import Die, SeeProcess
pids = {compute.run(SeeProcess()).pid for _ in range(8)}
compute.run(Die(way="hang"), timeout=600, on_run=lambda _: print(*pids, flush=True))
"""
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    with subprocess.Popen(
        [sys.executable, "-c", start + program], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as server:
        pids = [int(pid) for pid in server.stdout.readline().split()]
        assert pids
        server.send_signal(signal.SIGKILL)

    until(lambda: not any(psutil.pid_exists(pid) for pid in pids))


def test_a_worker_beside_nvcc_and_without_a_gpu_writes_nothing_past_the_log():
    assert run_fresh(BESIDE_NVCC, {**os.environ, "CUDA_HOME": "/opt/cuda"}) == ""
