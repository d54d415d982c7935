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
    """Puts a fake driver in the place of NVML and hands it back."""

    def put(*gpus, loaded=True):
        fake = FakeNvml(*gpus, loaded=loaded)
        monkeypatch.setattr(nvml, "pynvml", fake)
        return fake

    return put


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
    machine = (
        a_gpu("a"),
        without(a_gpu("b"), "temperature", "utilisation", "milliwatts"),
        a_gpu("c"),
    )
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
    part = without(
        a_gpu("d", uuid="MIG-dddddddd-0000-0000-0000-000000000000", memory=(5 * GIB, GIB)),
        "utilisation",
        "temperature",
        "milliwatts",
    )
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

    assert inventory.driver_version is None
    gpu = inventory.accelerators[0]
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


def test_a_rocm_gpu_is_named_for_what_it_is(driver, monkeypatch):
    driver(loaded=False)
    torch_sees_cuda(monkeypatch, a_gpu("a", name="AMD Test"), hip="7.1")

    inventory = read_inventory()

    gpu = inventory.accelerators[0]
    assert (inventory.hip_build, inventory.cuda_build) == ("7.1", None)
    assert (gpu.kind, gpu.device) == (AcceleratorKind.ROCM, "cuda:0")
    assert gpu.architecture.startswith("gfx942")


def test_an_intel_gpu_is_named_for_what_it_is(driver, monkeypatch):
    driver(loaded=False)
    torch_sees_xpu(monkeypatch)

    gpu = read_inventory().accelerators[0]

    assert (gpu.kind, gpu.device, gpu.multiprocessors) == (AcceleratorKind.XPU, "xpu:0", 64)
    assert gpu.memory_used_bytes is None  # this backend refused, and that is no nought


def test_an_apple_gpu_is_named_for_what_it_is(driver, monkeypatch):
    driver(loaded=False)
    torch_sees_mps(monkeypatch)

    inventory = read_inventory()

    gpu = inventory.accelerators[0]
    assert (inventory.accelerator_type, inventory.accelerator_count) == ("mps", 1)
    assert (gpu.kind, gpu.device) == (AcceleratorKind.MPS, "mps:0")


def test_a_backend_nobody_foresaw_is_listed_all_the_same(driver, monkeypatch):
    driver(loaded=False)
    torch_sees_xpu(monkeypatch)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("hpu"))

    gpu = read_inventory().accelerators[0]

    assert (gpu.kind, gpu.device) == (AcceleratorKind.OTHER, "hpu:0")


def test_the_driver_is_closed_after_reading(driver):
    fake = driver(a_gpu("a"))

    read_inventory()

    assert fake.opened == 0


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
    assert [gpu.device for gpu in mine] == [f"cuda:{index}" for index in range(len(names))]
    assert all(gpu.physical_index is not None for gpu in mine)
    for index, gpu in enumerate(mine):
        major, minor = torch.cuda.get_device_capability(index)
        assert gpu.compute_capability == f"{major}.{minor}"
        total = torch.cuda.get_device_properties(index).total_memory
        assert gpu.memory_total_bytes == pytest.approx(total, rel=0.05)


TABLE = "+---+\n| NVIDIA-SMI 580 |\n+---+\n"
PROCESSES = "\n+---+\n| Processes: |\n|  0  /home/someone/train.py |\n+---+\n"


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Puts a shell script in the place of nvidia-smi, alone on the path."""

    def put(script: str) -> None:
        file = tmp_path / "nvidia-smi"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path))
    return put


def test_its_table_is_kept_and_its_processes_are_not(command):
    command(f"echo '{TABLE}{PROCESSES}'")

    smi = read_nvidia_smi()

    assert smi.state == NvidiaSmiState.ANSWERED
    assert smi.output == TABLE


@pytest.mark.usefixtures("command")
def test_without_the_command_it_is_absent():
    assert read_nvidia_smi() == NvidiaSmi(state=NvidiaSmiState.ABSENT)


def test_its_complaint_is_kept_where_it_fails(command):
    command("echo 'No devices were found'; exit 6")

    assert read_nvidia_smi() == NvidiaSmi(
        state=NvidiaSmiState.FAILED, output="No devices were found\n"
    )


def test_it_is_stopped_when_it_hangs(command):
    command("while true; do :; done")

    assert read_nvidia_smi(timeout_seconds=0.2).state == NvidiaSmiState.TIMED_OUT
