import ctypes
import math
import os
import random
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import torch

from playground.compute import ProgressCallback, ignore_progress
from playground.errors import InvalidSettingError
from tests.compute.probe import records
from tests.waiting import wait_until

LEFT_OPEN = []


def add_up(settings: records.AddUp | records.MeasureAddUp) -> records.AddUpReport:
    return records.AddUpReport(total=torch.arange(settings.count).sum().item(), pid=os.getpid())


measure_add_up = add_up


def measure_step(settings: records.MeasureStep) -> float:
    torch.manual_seed(settings.seed)
    net = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.rand(32, 20)).square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def write_note(name: str, text: str = "ran") -> None:
    if name:
        with Path(name).open("a") as note:
            note.write(f"{text}\n")


def wait_for(gate: str) -> None:
    if gate:
        wait_until(Path(gate).exists)


def wait(settings: records.Wait) -> int:
    write_note(settings.note)
    wait_for(settings.gate)
    return os.getpid()


wait_once = wait


def measure_wait(settings: records.MeasureWait) -> tuple[float, float]:
    begun = time.monotonic()
    wait_for(settings.gate)
    return begun, time.monotonic()


def die(settings: records.Die) -> None:
    write_note(settings.note)
    if settings.way in ("exit", "exit-255"):
        os._exit(255 if settings.way == "exit-255" else 0)
    if settings.way == "segfault":
        ctypes.string_at(0)
    if settings.way == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if settings.way == "hang-deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.Event().wait()


def fail(settings: records.Fail) -> None:
    if settings.way == "playground":
        raise InvalidSettingError("bounds", field="way", given=settings.way, most=3)
    if settings.way == "unpicklable":
        raise InvalidSettingError("bounds", field="way", given=threading.Lock())
    if settings.way == "system-exit":
        raise SystemExit(3)
    if settings.way == "report":
        return threading.Lock()
    raise ValueError(f"in {__file__}")


def see_process(settings: records.SeeProcess) -> records.SeeProcessReport:
    return records.SeeProcessReport(
        pid=os.getpid(),
        parent_pid=os.getppid(),
        visible_devices=os.environ.get("CUDA_VISIBLE_DEVICES"),
        threads=torch.get_num_threads(),
        has_streamlit="streamlit" in sys.modules,
        main_file=getattr(sys.modules.get("__mp_main__"), "__file__", None),
        was_forked_warm=any("multiprocessing.forkserver" in word for word in sys.orig_argv),
    )


def read_state(settings: records.ReadState) -> tuple[tuple[str, str], ...]:
    layer = torch.nn.Linear(2, 2)
    read = {
        "default device": torch.ones(1).device,
        "device context": torch.get_default_device(),
        "modes": torch._C._len_torch_function_stack(),
        "default dtype": torch.get_default_dtype(),
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "autocast dtype": torch.get_autocast_dtype("cpu"),
        "torch rng": torch.get_rng_state().sum(),
        "numpy rng": np.random.get_state()[1][:3],
        "python rng": hash(random.getstate()),
        "printed": torch.tensor(1 / 3),
        "numpy printed": np.array([1 / 3]),
        "threads": torch.get_num_threads(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "warn only": torch.is_deterministic_algorithms_warn_only_enabled(),
        "matmul": torch.get_float32_matmul_precision(),
        "cudnn benchmark": torch.backends.cudnn.benchmark,
        "cudnn tf32 of all": torch.backends.cudnn.allow_tf32,
        "cudnn tf32": torch._C._get_fp32_precision_getter("cuda", "conv"),
        "mkldnn": torch._C._get_mkldnn_enabled(),
        "anomaly": torch.is_anomaly_enabled(),
        "warn always": torch.is_warn_always_enabled(),
        "swap": torch.__future__.get_swap_module_params_on_conversion(),
        "sparse checks": torch.sparse.check_sparse_tensor_invariants.is_enabled(),
        "safe globals": len(torch.serialization.get_safe_globals()),
        "hooked": layer(torch.ones(2, device="cpu", dtype=layer.weight.dtype)).abs().max() > 1e6
        if layer.weight.device.type == "cpu"
        else "meta",
        "denormal": torch.tensor(1e-40) == 0,
        "python denormal": math.ldexp(5e-324, 0) * 1.0 == 0,
        "sharing": torch.multiprocessing.get_sharing_strategy(),
        "numpy errors": sorted(np.geterr().items()),
        "distributions": torch.distributions.Distribution._validate_args,
        "flash": torch.backends.cuda.flash_sdp_enabled(),
        "efficient": torch.backends.cuda.mem_efficient_sdp_enabled(),
        "math": torch.backends.cuda.math_sdp_enabled(),
        "cudnn attention": torch.backends.cuda.cudnn_sdp_enabled(),
        "reduction": torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed(),
        "fusion": torch.jit.onednn_fusion_enabled(),
        "environment": sorted(os.environ.items()),
        "folder": Path.cwd(),
        "warnings": warnings.filters,
        "path": sys.path,
        "recursion": sys.getrecursionlimit(),
        "stdout": type(sys.stdout),
    }
    return tuple((name, str(value)) for name, value in read.items())


def wreck_state(settings: records.WreckState) -> tuple[tuple[str, str], ...]:
    torch.nn.modules.module.register_module_forward_hook(lambda *_: torch.full((2,), 1e9))
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("meta")
    torch.device("cpu").__enter__()
    torch.device("meta").__enter__()
    torch.autocast("cpu", dtype=torch.float16).__enter__()
    LEFT_OPEN.append(torch.inference_mode())
    LEFT_OPEN[-1].__enter__()
    torch.set_grad_enabled(False)
    torch.manual_seed(7)
    np.random.seed(7)
    random.seed(7)
    torch.set_printoptions(precision=1, sci_mode=True)
    np.set_printoptions(precision=1)
    torch.set_num_threads(2)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_float32_matmul_precision("medium")
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False
    torch._C._set_mkldnn_enabled(False)
    torch.set_warn_always(True)
    torch.__future__.set_swap_module_params_on_conversion(True)
    torch.sparse.check_sparse_tensor_invariants.enable()
    torch.serialization.add_safe_globals([Path])
    torch.set_flush_denormal(True)
    torch.multiprocessing.set_sharing_strategy("file_system")
    np.seterr(all="raise")
    torch.distributions.Distribution.set_default_validate_args(False)
    torch.backends.cuda.enable_flash_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_math_sdp(False)
    torch.backends.cuda.enable_cudnn_sdp(False)
    torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(True)
    torch.jit.enable_onednn_fusion(True)
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    os.environ["WRECKED"] = "yes"
    os.environ.pop("PATH", None)
    os.chdir("/")
    warnings.simplefilter("ignore")
    torch.autograd.set_detect_anomaly(True)
    sys.path.insert(0, "/wrecked")
    sys.setrecursionlimit(5000)
    sys.stdout = None
    return read_state(records.ReadState())


def count_up(
    settings: records.CountUp, report_progress: ProgressCallback[records.Counted] = ignore_progress
) -> int:
    torch.set_default_dtype(torch.float64)
    try:
        for count in range(settings.total):
            report_progress(records.Counted(count=count, filling=b"x" * settings.filling_bytes))
            time.sleep(settings.pause_seconds)  # noqa: TID251 - nobody waits for that
            wait_for(settings.gate and f"{settings.gate}/{count}")
    except Exception as error:
        raise AssertionError("an experiment that keeps errors keeps no cancellation") from error
    write_note(settings.note, "counted")
    if settings.end == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if settings.end.startswith("hang"):
        die(records.Die(way=settings.end))
    if settings.end:
        fail(records.Fail(way=settings.end))
    return settings.total


count_up_once = count_up
