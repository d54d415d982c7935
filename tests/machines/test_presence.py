import pytest

from playground.machines import nvml, presence
from tests.fresh import run_fresh
from tests.machines.fake_nvml import FakeNvml, a_gpu


@pytest.fixture
def three_gpus(monkeypatch):
    monkeypatch.setattr(nvml, "pynvml", FakeNvml(a_gpu("a"), a_gpu("b"), a_gpu("c")))
    monkeypatch.setattr(presence.platform, "system", lambda: "Linux")
    monkeypatch.setattr(presence, "torch_build", lambda: "cu130")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_counting_loads_no_torch():
    run_fresh(
        "import sys; from playground.machines.presence import count_gpus; count_gpus();"
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

    assert presence.count_gpus() == count


@pytest.mark.usefixtures("three_gpus")
def test_a_cpu_build_of_torch_can_use_no_gpu(monkeypatch):
    monkeypatch.setattr(presence, "torch_build", lambda: "cpu")

    assert presence.count_gpus() == 0


@pytest.mark.usefixtures("three_gpus")
def test_without_a_driver_there_is_nothing(monkeypatch):
    monkeypatch.setattr(nvml, "pynvml", FakeNvml(loaded=False))

    assert presence.count_gpus() == 0


def test_amd_gpus_are_counted_without_their_cpus(monkeypatch, tmp_path):
    for node, gpu_id in enumerate(("0", "51234", "51235")):
        (tmp_path / f"nodes/{node}").mkdir(parents=True)
        (tmp_path / f"nodes/{node}/gpu_id").write_text(f"{gpu_id}\n")
    monkeypatch.setattr(presence, "torch_build", lambda: "rocm7.1")
    monkeypatch.setattr(presence, "KFD", tmp_path)
    monkeypatch.setattr(presence, "KFD_NODES", tmp_path / "nodes")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    assert presence.count_gpus() == 2


def test_intel_gpus_are_counted_by_their_maker(monkeypatch, tmp_path):
    for node, vendor in (("renderD128", "0x8086"), ("renderD129", "0x10de")):
        (tmp_path / node / "device").mkdir(parents=True)
        (tmp_path / node / "device/vendor").write_text(f"{vendor}\n")
    monkeypatch.setattr(presence, "torch_build", lambda: "xpu")
    monkeypatch.setattr(presence, "DRM", tmp_path)

    assert presence.count_gpus() == 1


@pytest.mark.parametrize(("processor", "count"), [("arm64", 1), ("x86_64", 0)])
def test_a_mac_with_apple_silicon_has_one(monkeypatch, processor, count):
    monkeypatch.setattr(presence.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(presence.platform, "machine", lambda: processor)

    assert presence.count_gpus() == count
