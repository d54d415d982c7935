"""The quotas of workers; every expected number was computed by hand."""

import pytest
import torch

from playground.compute import gpu_quota, worker
from playground.compute.gpu_quota import (
    CONTEXT_BYTES,
    CONTEXT_LOST,
    GpuPolicy,
    GpuQuota,
    GpuUnusableError,
    plan,
)
from playground.machines import gpu_detection, nvml
from playground.machines.hardware import Accelerator, AcceleratorKind
from tests.machines.fake_nvml import FakeNvml, a_gpu

GIB = 2**30


def gpu(letter: str, total: float, free: float | None = None, **other: object) -> Accelerator:
    return Accelerator(
        **{
            "kind": AcceleratorKind.CUDA,
            "uuid": f"GPU-{letter}",
            "name": "NVIDIA Test",
            "physical_index": 0,
            "memory_total_bytes": int(total * GIB),
            "memory_free_bytes": int((total if free is None else free) * GIB),
            **other,
        }
    )


def seen(quotas) -> list[str | None]:
    return [quota.visible for quota in quotas]


@pytest.mark.parametrize(
    ("total", "free", "policy", "limits_gib"),
    [
        # 90 % of 80 GiB are 72; a quarter of them is 18, of which CUDA's own 0.75 are set aside
        (80, 80, GpuPolicy(), [17.25] * 4),
        (16, 16, GpuPolicy(), [2.85] * 4),  # 14.4 / 4 - 0.75
        (12, 12, GpuPolicy(), [2.85] * 3),  # 10.8 / 2.75 = 3.9; 10.8 / 3 - 0.75
        (8, 8, GpuPolicy(), [2.85] * 2),  # 7.2 / 2.75 = 2.6; 7.2 / 2 - 0.75
        (4, 4, GpuPolicy(), [2.85]),  # 3.6 - 0.75
        (2, 2, GpuPolicy(), [1.05]),  # 1.8 - 0.75: alone, it may have less
        (16, 16, GpuPolicy(experiments_at_once=1, memory_percent=50), [7.25]),
        (80, 10, GpuPolicy(), [10 / 3 - 0.75] * 3),  # others hold 70 GiB already
    ],
)
def test_a_gpu_is_divided_by_its_room(total, free, policy, limits_gib):
    quotas = plan([gpu("a", total, free)], policy)

    assert [quota.limits[0] / GIB for quota in quotas] == pytest.approx(limits_gib)
    assert {(each.visible, each.expects_cuda, each.percent) for each in quotas} == {
        ("GPU-a", True, policy.memory_percent)
    }


@pytest.mark.parametrize(("asked", "workers"), [(1, 1), (3, 3), (6, 5), (16, 5)])
def test_the_operator_may_ask_for_more_than_four_if_they_have_room(asked, workers):
    policy = GpuPolicy(experiments_at_once=asked)
    assert len(plan([gpu("a", 16)], policy)) == workers  # 14.4 / 2.75 = 5.2


SILENT = Accelerator(kind=AcceleratorKind.CUDA, physical_index=0)


@pytest.mark.parametrize("useless", [gpu("a", 80, 0.9), gpu("a", 1), SILENT])
def test_a_gpu_without_room_or_that_does_not_answer_is_left_alone(useless):
    assert plan([useless], GpuPolicy()) == ()
    assert seen(plan([useless, gpu("b", 4)], GpuPolicy())) == ["GPU-b"]


def test_alike_gpus_take_turns_in_being_the_first():
    quotas = plan([gpu("a", 24), gpu("b", 24, free=20)], GpuPolicy(experiments_at_once=2))

    assert seen(quotas) == ["GPU-a,GPU-b", "GPU-b,GPU-a"] * 2
    assert quotas[0].limits == quotas[1].limits[::-1]
    limits = [limit / GIB for limit in quotas[0].limits]
    assert limits == pytest.approx([21.6 / 4 - 0.75, 20 / 4 - 0.75])


def test_different_gpus_keep_their_numbers():
    quotas = plan([gpu("a", 80), gpu("b", 16, name="Another")], GpuPolicy(experiments_at_once=2))

    assert seen(quotas) == ["GPU-a,GPU-b"] * 2
    assert quotas[0].limits == (35.25 * GIB, pytest.approx(6.45 * GIB))


def test_a_worker_has_one_mig_slice():
    slices = [gpu(letter, 10, kind=AcceleratorKind.MIG) for letter in "ab"]

    quotas = plan(slices, GpuPolicy(experiments_at_once=2))

    assert seen(quotas) == ["GPU-a", "GPU-a", "GPU-b", "GPU-b"]
    assert {quota.limits for quota in quotas} == {(3.75 * GIB,)}


@pytest.mark.parametrize("asked", [0, 1, 5])
@pytest.mark.parametrize("count", [1, 2, 8])
@pytest.mark.parametrize("total", [2, 6, 11, 80])
def test_all_workers_at_their_limits_fit_on_any_gpu(total, count, asked):
    gpus = [gpu(letter, total) for letter in "abcdefgh"[:count]]

    quotas = plan(gpus, GpuPolicy(experiments_at_once=asked))

    assert quotas
    for card in gpus:
        taken = sum(
            quota.limits[quota.visible.split(",").index(card.uuid)] + CONTEXT_BYTES
            for quota in quotas
        )
        assert taken <= 0.9 * total * GIB + 1


@pytest.fixture
def two_gpus(monkeypatch):
    driver = FakeNvml(a_gpu("a"), a_gpu("b", name=a_gpu("a")["name"]))  # 16 GiB each, 13 free
    monkeypatch.setattr(nvml, "pynvml", driver)
    monkeypatch.setattr(gpu_detection.platform, "system", lambda: "Linux")
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "cu130")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return driver


A, B = (f"GPU-{letter * 8}-0000-0000-0000-000000000000" for letter in "ab")


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize(
    ("variable", "visible"),
    [
        (None, [f"{A},{B}", f"{B},{A}"] * 2),
        ("1", [B] * 4),
        ("1,0", [f"{B},{A}", f"{A},{B}"] * 2),
        ("GPU-bbbb", [B] * 4),
        ("", []),
    ],
)
def test_the_servers_own_variable_is_obeyed(monkeypatch, variable, visible):
    if variable is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", variable)

    assert seen(gpu_quota.plan_quotas()) == visible


@pytest.mark.usefixtures("two_gpus")
def test_the_operators_policy_is_applied(monkeypatch):
    monkeypatch.setattr(gpu_quota, "_policy", [])  # and put back
    gpu_quota.set_policy(GpuPolicy(experiments_at_once=1, memory_percent=50))

    quotas = gpu_quota.plan_quotas()
    assert [quota.limits for quota in quotas] == [(3.25 * GIB,) * 2] * 2  # 16 / 2 / 2 - 0.75


def test_a_gpu_of_which_the_driver_says_nothing_has_one_worker(monkeypatch):
    monkeypatch.setattr(gpu_detection, "count_gpus", lambda: 1)
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "rocm7.1")

    (quota,) = gpu_quota.plan_quotas()

    assert (quota.visible, quota.limits, quota.limit_bytes(0, 1000)) == (None, (), 900)


@pytest.mark.parametrize(
    ("vendor", "kind", "is_silent"),
    [("0x10de", "0x030200", True), ("0x10de", "0x040300", False), ("0x8086", "0x030000", False)],
)
def test_a_silent_driver_is_noticed(two_gpus, monkeypatch, tmp_path, vendor, kind, is_silent):
    device = tmp_path / "0000:01:00.0"
    device.mkdir()
    (device / "vendor").write_text(f"{vendor}\n")
    (device / "class").write_text(f"{kind}\n")
    monkeypatch.setattr(gpu_detection, "PCI", tmp_path)
    assert not gpu_detection.has_unresponsive_gpu()
    two_gpus.loaded = False

    assert gpu_detection.has_unresponsive_gpu() is is_silent
    assert gpu_quota.is_wanted() is is_silent
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "cpu")
    assert not gpu_quota.is_wanted()


LOST = [
    torch.AcceleratorError("CUDA error: an illegal memory access was encountered\nSearch for …"),
    torch.AcceleratorError("CUDA error: device-side assert triggered"),
    torch.AcceleratorError("CUDA error: unspecified launch failure"),
    torch.AcceleratorError("CUDA error: unknown error"),
    RuntimeError("CUDA error: the launch timed out and was terminated"),  # before torch 2.8
    RuntimeError("CUDA error: uncorrectable ECC error encountered"),
    RuntimeError("No CUDA-capable device is detected"),
    RuntimeError("CUDA error: CUDA-capable device(s) is/are busy or unavailable"),
    RuntimeError("CUDA driver: GPU is lost (Xid 79)"),
    torch.cuda.DeferredCudaCallError("CUDA call failed lazily … CUDA error: initialization error"),
]
SOUND = [
    torch.AcceleratorError("CUDA error: invalid device ordinal"),
    torch.AcceleratorError("CUDA error: out of memory"),
    torch.AcceleratorError("CUDA error: no kernel image is available for execution on the device"),
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    RuntimeError("Expected all tensors to be on the same device, cuda:0 and cpu!"),
    ValueError("CUDA error: device-side assert triggered"),
    IndexError("index 4 is out of bounds"),
]


def with_code(code: int) -> torch.AcceleratorError:
    error = torch.AcceleratorError("CUDA error: worded in another way")
    error.error_code = code
    return error


@pytest.fixture
def exit_codes(monkeypatch):
    codes = []
    monkeypatch.setattr(worker.torch_state, "uses_cuda", lambda: True)
    monkeypatch.setattr(worker.os, "_exit", codes.append)
    return codes


@pytest.mark.parametrize("error", [*LOST, with_code(710), with_code(719)], ids=str)
def test_an_error_of_the_context_ends_the_worker(exit_codes, error, caplog):
    worker.exit_if_context_lost(error)

    assert exit_codes == [CONTEXT_LOST]
    assert type(error).__name__ in caplog.text


@pytest.mark.parametrize("error", [*SOUND, with_code(101), with_code(2)], ids=str)
def test_any_other_error_does_not(exit_codes, error):
    worker.exit_if_context_lost(error)

    assert exit_codes == []


def test_it_is_found_behind_the_error_that_it_led_to(exit_codes):
    stumbled = KeyError("nothing")
    stumbled.__context__ = LOST[0]

    worker.exit_if_context_lost(stumbled)

    assert exit_codes == [CONTEXT_LOST]


def test_a_process_without_cuda_has_no_context_to_lose(exit_codes, monkeypatch):
    monkeypatch.setattr(worker.torch_state, "uses_cuda", lambda: False)

    worker.exit_if_context_lost(LOST[0])

    assert exit_codes == []


@pytest.mark.parametrize(
    ("kind", "text", "more"),
    [
        (
            torch.OutOfMemoryError,
            "CUDA out of memory. Tried to allocate 2.00 GiB. 1.00 GiB allowed;",
            " If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF",
        ),
        (torch.AcceleratorError, "CUDA error: out of memory", "\nSearch for `cudaErrorMemory…"),
        (RuntimeError, "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`", ""),
    ],
)
def test_a_full_gpu_is_reported_in_torchs_words(kind, text, more):
    refusal = worker.gpu_memory_error(kind(text + more))
    assert (refusal.key, refusal.values) == ("gpu_out_of_memory", {"text": text})


@pytest.mark.parametrize(
    "error", [RuntimeError("DefaultCPUAllocator: not enough memory"), KeyError("x")]
)
def test_other_errors_say_nothing_of_a_gpu(error):
    assert worker.gpu_memory_error(error) is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="for a computer without CUDA")
def test_a_worker_whose_cuda_does_not_work_cannot_apply_its_quota():
    GpuQuota().apply()  # no CUDA is expected

    with pytest.raises(GpuUnusableError, match="0 GPUs"):
        GpuQuota(expects_cuda=True).apply()
