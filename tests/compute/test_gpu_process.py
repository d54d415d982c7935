"""Which errors mean a lost CUDA context, and which a full GPU; needs no GPU."""

import pytest
import torch

from playground.compute import gpu_process
from playground.compute.gpu_quota import CONTEXT_LOST, GpuQuota, GpuUnusableError

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
    monkeypatch.setattr(gpu_process.torch_state, "uses_cuda", lambda: True)
    monkeypatch.setattr(gpu_process.os, "_exit", codes.append)
    return codes


@pytest.mark.parametrize("error", [*LOST, with_code(710), with_code(719)], ids=str)
def test_an_error_of_the_context_ends_the_worker(exit_codes, error, caplog):
    gpu_process.exit_if_lost(error)

    assert exit_codes == [CONTEXT_LOST]
    assert type(error).__name__ in caplog.text


@pytest.mark.parametrize("error", [*SOUND, with_code(101), with_code(2)], ids=str)
def test_any_other_error_does_not(exit_codes, error):
    gpu_process.exit_if_lost(error)

    assert exit_codes == []


def test_it_is_found_behind_the_error_that_it_led_to(exit_codes):
    def stumble() -> None:
        try:
            raise LOST[0]
        except RuntimeError:
            {}["nothing"]

    with pytest.raises(KeyError) as raised:
        stumble()

    gpu_process.exit_if_lost(raised.value)

    assert exit_codes == [CONTEXT_LOST]


def test_a_process_without_cuda_has_no_context_to_lose(exit_codes, monkeypatch):
    monkeypatch.setattr(gpu_process.torch_state, "uses_cuda", lambda: False)

    gpu_process.exit_if_lost(LOST[0])

    assert exit_codes == []


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            torch.OutOfMemoryError(
                "CUDA out of memory. Tried to allocate 2.00 GiB. 1.00 GiB allowed; If reserved but "
                "unallocated memory is large try setting PYTORCH_ALLOC_CONF"
            ),
            "CUDA out of memory. Tried to allocate 2.00 GiB. 1.00 GiB allowed;",
        ),
        (
            torch.AcceleratorError("CUDA error: out of memory\nSearch for `cudaErrorMemory…"),
            "CUDA error: out of memory",
        ),
        (
            RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`"),
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`",
        ),
    ],
)
def test_a_full_gpu_is_reported_in_torchs_words(error, text):
    refusal = gpu_process.memory_error(error)

    assert (refusal.key, refusal.values) == ("gpu_out_of_memory", {"text": text})


@pytest.mark.parametrize(
    "error", [RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory"), KeyError("x")]
)
def test_other_errors_say_nothing_of_a_gpu(error):
    assert gpu_process.memory_error(error) is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="for a computer without CUDA")
def test_a_worker_whose_cuda_does_not_work_cannot_apply_its_quota():
    GpuQuota().apply()  # no CUDA is expected

    with pytest.raises(GpuUnusableError, match="0 GPUs"):
        GpuQuota(expects_cuda=True).apply()
