import platform

import psutil
import pytest
import torch

from playground.machines import nvml
from playground.machines.hardware import AcceleratorKind, format_inventory
from playground.machines.inventory import read_inventory
from playground.machines.nvidia_smi import NvidiaSmi, NvidiaSmiState, read_nvidia_smi
from tests.machines.fake_nvml import GIB, FakeNvml, a_gpu, without
from tests.machines.fake_torch import torch_sees_cuda, torch_sees_mps, torch_sees_xpu


@pytest.fixture
def driver(monkeypatch):
    """Puts a fake driver in the place of NVML, and sees that who opens it closes it."""
    placed = []

    def put(*gpus, loaded=True):
        placed.append(FakeNvml(*gpus, loaded=loaded))
        monkeypatch.setattr(nvml, "pynvml", placed[-1])

    yield put
    assert [fake.opened for fake in placed] == [0] * len(placed)


def test_the_real_computer_is_read():
    inventory = read_inventory()

    assert inventory.torch_version == torch.__version__
    assert inventory.python_version == platform.python_version()
    assert inventory.memory_total_bytes == psutil.virtual_memory().total
    assert inventory.threads == psutil.cpu_count()
    assert inventory.accelerator_count == torch.accelerator.device_count()
    assert inventory.accelerator_is_available == torch.accelerator.is_available()


def test_gpus_are_matched_by_uuid_and_not_by_place(driver, monkeypatch):
    slow, fast, middle = a_gpu("a", temperature=40), a_gpu("b", temperature=50), a_gpu("c")
    driver(slow, fast, middle)
    torch_sees_cuda(monkeypatch, fast, middle, slow)

    gpus = read_inventory().accelerators

    assert [gpu.device for gpu in gpus] == ["cuda:0", "cuda:1", "cuda:2"]
    assert [gpu.physical_index for gpu in gpus] == [1, 2, 0]
    assert [gpu.temperature_celsius for gpu in gpus] == [50, 41, 40]
    assert [gpu.uuid for gpu in gpus] == [fast["uuid"], middle["uuid"], slow["uuid"]]
    assert {gpu.kind for gpu in gpus} == {AcceleratorKind.CUDA}


def test_a_failing_sensor_is_none_and_hurts_no_other(driver, monkeypatch):
    failing = without(a_gpu("b"), "temperature", "utilisation", "milliwatts")
    machine = a_gpu("a"), failing, a_gpu("c")
    driver(*machine)
    torch_sees_cuda(monkeypatch, *machine)

    first, second, third = read_inventory().accelerators

    assert second.temperature_celsius is None
    assert second.utilisation_percent is None
    assert second.power_watts is None
    assert second.power_limit_watts == 300.0
    assert second.memory_used_bytes == 3 * GIB
    assert first.utilisation_percent == 0  # a reading of nought is not an absent one
    assert third.power_watts == 61.5


def test_a_gpu_that_fell_off_the_bus_is_still_listed(driver):
    driver(a_gpu("a"), None)

    first, second = read_inventory().accelerators

    assert first.name == "NVIDIA Test A"
    assert second.physical_index == 1
    assert second.name is None


def test_gpus_that_torch_cannot_use_have_no_device(driver):
    driver(a_gpu("a"))  # a driver, and a torch without CUDA

    inventory = read_inventory()

    assert inventory.accelerators[0].device is None
    assert inventory.accelerators[0].uuid == a_gpu("a")["uuid"]
    assert inventory.driver_version == "580.65.06"
    assert inventory.driver_cuda_version == "13.1"
    assert not torch.cuda.is_available() or inventory.cuda_build


def test_hidden_gpus_follow_the_visible_ones(driver, monkeypatch):
    driver(a_gpu("a"), a_gpu("b"))
    torch_sees_cuda(monkeypatch, a_gpu("b"))  # CUDA_VISIBLE_DEVICES=1

    visible, hidden = read_inventory().accelerators

    assert (visible.device, visible.physical_index) == ("cuda:0", 1)
    assert (hidden.device, hidden.physical_index) == (None, 0)


def test_mig_slices_are_named_for_what_they_are(driver, monkeypatch):
    of_slice = {"uuid": "MIG-dddddddd-0000-0000-0000-000000000000", "memory": (5 * GIB, GIB)}
    part = without(a_gpu("d", **of_slice), "utilisation", "temperature", "milliwatts")
    other = part | {"uuid": "MIG-eeeeeeee-0000-0000-0000-000000000000"}
    driver(a_gpu("a", slices=[part, other]))
    torch_sees_cuda(monkeypatch, part)  # a process sees one slice

    seen, unseen = read_inventory().accelerators

    assert seen.kind == unseen.kind == AcceleratorKind.MIG
    assert (seen.device, unseen.device) == ("cuda:0", None)
    assert seen.uuid == part["uuid"]
    assert seen.memory_total_bytes == 5 * GIB
    assert seen.utilisation_percent is None


def test_without_nvml_torch_alone_tells(driver, monkeypatch):
    driver(loaded=False)
    torch_sees_cuda(monkeypatch, a_gpu("a"))

    inventory = read_inventory()
    gpu = inventory.accelerators[0]

    assert inventory.driver_version is None
    assert gpu.memory_used_bytes == 3 * GIB
    assert gpu.compute_capability == "9.0"
    assert gpu.multiprocessors == 132
    assert gpu.temperature_celsius is None


def test_cuda_is_not_asked_for_memory_where_the_driver_tells_it(driver, monkeypatch):
    driver(a_gpu("a"))
    torch_sees_cuda(monkeypatch, a_gpu("a"))
    asked = []
    monkeypatch.setattr(torch.cuda, "mem_get_info", asked.append)

    gpu = read_inventory().accelerators[0]

    assert asked == []  # it would open a context on every GPU
    assert gpu.memory_used_bytes == 3 * GIB


def test_an_old_driver_knows_memory_by_its_first_version(driver):
    driver(a_gpu("a", old_memory=True))

    assert read_inventory().accelerators[0].memory_total_bytes == 16 * GIB


def torch_sees_rocm(patch):
    torch_sees_cuda(patch, a_gpu("a", name="AMD Test"), hip="7.1")


def torch_sees_what_nobody_foresaw(patch):
    torch_sees_xpu(patch)
    patch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("hpu"))


@pytest.mark.parametrize(
    ("torch_sees", "kind", "device", "known"),
    [
        (torch_sees_rocm, "ROCM", "cuda:0", {"architecture": "gfx942:sramecc+:xnack-"}),
        # this backend refuses to tell the used memory, and that is no nought
        (torch_sees_xpu, "XPU", "xpu:0", {"multiprocessors": 64, "memory_used_bytes": None}),
        (torch_sees_mps, "MPS", "mps:0", {"memory_total_bytes": 12 * GIB}),
        (torch_sees_what_nobody_foresaw, "OTHER", "hpu:0", {}),
    ],
    ids=["amd", "intel", "apple", "unforeseen"],
)
def test_gpus_of_other_makers_are_named_for_what_they_are(
    driver, monkeypatch, torch_sees, kind, device, known
):
    driver(loaded=False)
    torch_sees(monkeypatch)

    inventory = read_inventory()
    (gpu,) = inventory.accelerators

    assert (gpu.kind, gpu.device) == (AcceleratorKind[kind], device)
    assert {name: getattr(gpu, name) for name in known} == known
    assert (inventory.accelerator_type, inventory.accelerator_count) == (device[:-2], 1)
    if kind == "ROCM":
        assert (inventory.hip_build, inventory.cuda_build) == ("7.1", None)


def test_the_text_for_a_bug_report_says_na_and_never_nought(driver, monkeypatch):
    machine = without(a_gpu("a"), "temperature", "milliwatts")
    driver(machine)
    torch_sees_cuda(monkeypatch, machine)

    text = format_inventory(read_inventory())

    assert f"PyTorch:            {torch.__version__}" in text
    assert "cuda:0: NVIDIA Test A" in text
    assert "temperature:      N/A" in text
    assert "power:            N/A of 300.0 W" in text
    assert "utilisation:      0 %" in text
    assert "memory:           16.00 GiB, 3.00 GiB used, 13.00 GiB free" in text


@pytest.mark.gpu
def test_a_real_gpu_is_read():
    if not torch.cuda.is_available():
        pytest.skip("needs CUDA")

    inventory = read_inventory()

    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    mine = inventory.accelerators[: len(names)]
    assert [gpu.name for gpu in mine] == names
    assert all(gpu.physical_index is not None for gpu in mine)
    for index, gpu in enumerate(mine):
        assert gpu.device == f"cuda:{index}"
        major, minor = torch.cuda.get_device_capability(index)
        assert gpu.compute_capability == f"{major}.{minor}"
        total = torch.cuda.get_device_properties(index).total_memory
        assert gpu.memory_total_bytes == pytest.approx(total, rel=0.05)


TABLE = "+---+\n| NVIDIA-SMI 580 |\n+---+\n"
PROCESSES = "\n+---+\n| Processes: |\n|  0  /home/someone/train.py |\n+---+\n"


@pytest.mark.parametrize(
    ("script", "seconds", "state", "output"),
    [
        (f"echo '{TABLE}{PROCESSES}'", 10, NvidiaSmiState.ANSWERED, TABLE),
        (
            "echo 'No devices were found'; exit 6",
            10,
            NvidiaSmiState.FAILED,
            "No devices were found\n",
        ),
        ("while true; do :; done", 0.2, NvidiaSmiState.TIMED_OUT, ""),
        (None, 10, NvidiaSmiState.ABSENT, ""),
    ],
    ids=["answers", "fails", "hangs", "is-absent"],
)
def test_nvidia_smi_tells_what_it_says_but_no_processes(
    monkeypatch, tmp_path, script, seconds, state, output
):
    monkeypatch.setenv("PATH", str(tmp_path))
    if script:
        (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "nvidia-smi").chmod(0o755)

    assert read_nvidia_smi(seconds) == NvidiaSmi(state=state, output=output)
