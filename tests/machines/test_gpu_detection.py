import pytest
import torch

from playground.machines import gpu_detection, nvml
from tests.fresh import run_fresh
from tests.machines.fake_nvml import FakeNvml, a_gpu


@pytest.fixture
def three_gpus(monkeypatch):
    monkeypatch.setattr(nvml, "pynvml", FakeNvml(a_gpu("a"), a_gpu("b"), a_gpu("c")))
    monkeypatch.setattr(gpu_detection.platform, "system", lambda: "Linux")
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "cu130")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_counting_loads_no_torch():
    run_fresh(
        "import sys; from playground.machines.gpu_detection import count_gpus; count_gpus();"
        "assert 'torch' not in sys.modules"
    )


@pytest.mark.usefixtures("three_gpus")
@pytest.mark.parametrize(
    ("value", "count"),
    [(None, 3), ("", 0), ("-1", 0), ("nonsense", 0), ("1", 1), ("2,0", 2), ("0,7,1", 1)]
    + [("GPU-aaaa", 1), ("GPU-aaaa,GPU-bbbb", 2)],
)
def test_hidden_gpus_are_not_counted(monkeypatch, value, count):
    if value is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)

    assert gpu_detection.count_gpus() == count


@pytest.mark.usefixtures("three_gpus")
def test_without_a_driver_there_is_nothing(monkeypatch):
    monkeypatch.setattr(nvml, "pynvml", FakeNvml(loaded=False))

    assert gpu_detection.count_gpus() == 0


@pytest.mark.usefixtures("three_gpus")
@pytest.mark.parametrize(
    ("build", "hidden", "needed"),
    [
        ("cu130", None, None),  # FakeNvml's driver supports CUDA 13.1
        ("cu126", None, None),
        ("cu140", None, "14.0"),
        ("cpu", None, ""),
        ("cpu", "-1", None),
        ("rocm7.1", None, None),
    ],
)
def test_gpus_that_the_build_of_torch_cannot_use_are_known(monkeypatch, build, hidden, needed):
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: build)
    if hidden:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)

    unusable = gpu_detection.unusable_gpus()

    expected = gpu_detection.UnusableGpus(3, "580.65.06", "13.1", needed or "")
    assert unusable == (None if needed is None else expected)
    if unusable:
        assert gpu_detection.count_gpus() == 0  # nothing is started that could only fail


@pytest.mark.parametrize(
    ("build", "capabilities", "unusable"),
    [
        ("cu130", [(7, 0), (6, 1)], "7.0"),  # V100 and P40: NVIDIA's table of CUDA GPUs
        ("cu130", [(7, 0), (7, 5)], None),
        ("cu130", [(10, 0)], None),
        ("cu126", [(7, 0)], None),
    ],
)
def test_gpus_older_than_the_build_of_torch_are_known(monkeypatch, build, capabilities, unusable):
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: build)
    monkeypatch.setattr(nvml, "pynvml", FakeNvml(*({"capability": each} for each in capabilities)))

    found = gpu_detection.unusable_gpus()

    assert (found and found.compute_capability) == unusable
    if unusable:
        assert gpu_detection.count_gpus() == 0


def test_the_cuda_version_of_a_wheel_without_a_suffix_is_that_of_torch(monkeypatch):
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "")

    assert gpu_detection.torch_cuda() == (torch.version.cuda or "")


def test_amd_gpus_are_counted_without_their_cpus(monkeypatch, tmp_path):
    for node, gpu_id in enumerate(("0", "51234", "51235")):
        (tmp_path / f"nodes/{node}").mkdir(parents=True)
        (tmp_path / f"nodes/{node}/gpu_id").write_text(f"{gpu_id}\n")
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "rocm7.1")
    monkeypatch.setattr(gpu_detection, "KFD", tmp_path)
    monkeypatch.setattr(gpu_detection, "KFD_NODES", tmp_path / "nodes")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    assert gpu_detection.count_gpus() == 2


def test_intel_gpus_are_counted_by_their_maker(monkeypatch, tmp_path):
    for node, vendor in (("renderD128", "0x8086"), ("renderD129", "0x10de")):
        (tmp_path / node / "device").mkdir(parents=True)
        (tmp_path / node / "device/vendor").write_text(f"{vendor}\n")
    monkeypatch.setattr(gpu_detection, "torch_build", lambda: "xpu")
    monkeypatch.setattr(gpu_detection, "DRM", tmp_path)

    assert gpu_detection.count_gpus() == 1


@pytest.mark.parametrize(("processor", "count"), [("arm64", 1), ("x86_64", 0)])
def test_a_mac_with_apple_silicon_has_one(monkeypatch, processor, count):
    monkeypatch.setattr(gpu_detection.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(gpu_detection.platform, "machine", lambda: processor)

    assert gpu_detection.count_gpus() == count
