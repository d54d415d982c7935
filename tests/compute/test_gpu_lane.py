"""The lane that can see GPUs, on a host that may have none: its presence is injected."""

from collections.abc import Iterator

import pytest

from playground.compute import gpu_plan
from playground.compute.runner import Runner, build_lanes, lane_name
from playground.compute.settings import Settings
from playground.machines import Machine, MachineKind, presence
from tests.compute.probe.records import AddUp, MeasureAddUp, SeeProcess

REAL = Machine(kind=MachineKind.REAL)


class NeedsNoHardware(Settings[None]):
    uses_hardware = False
    machine = REAL


@pytest.fixture(scope="module")
def host_with_gpu() -> Iterator[Runner]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presence, "count_gpus", lambda: 1)
        patch.setattr(gpu_plan, "_expects_cuda", lambda: False)  # CUDA would say that it is not
        patch.setenv("CUDA_VISIBLE_DEVICES", "0")
        running = Runner(build_lanes)
        running.start()
        yield running
        running.stop()


@pytest.mark.parametrize(
    ("settings", "has_gpu_lane", "lane"),
    [
        (AddUp(machine=REAL), True, "gpu"),
        (AddUp(machine=REAL), False, "cpu"),
        (AddUp(machine=Machine()), True, "cpu"),
        (MeasureAddUp(), True, "cpu"),
        (NeedsNoHardware(), True, "cpu"),
    ],
)
def test_only_settings_that_touch_real_devices_go_to_the_gpu_lane(settings, has_gpu_lane, lane):
    assert lane_name(settings, has_gpu_lane=has_gpu_lane) == lane


def test_no_gpu_means_no_gpu_lane(monkeypatch):
    monkeypatch.setattr(presence, "count_gpus", lambda: 0)

    assert set(build_lanes()) == {"cpu"}


def test_gpus_are_visible_in_the_gpu_lane_and_hidden_in_the_cpu_lane(host_with_gpu):
    on_gpu = host_with_gpu.run(SeeProcess(machine=REAL))
    on_cpu = host_with_gpu.run(SeeProcess(machine=Machine()))

    assert (on_gpu.visible_devices, on_gpu.was_forked_warm) == ("0", False)
    assert on_cpu.visible_devices == ""
    assert on_gpu.main_file is None
    assert not on_gpu.has_streamlit
    assert [lane.name for lane in host_with_gpu.status().lanes] == ["cpu", "gpu"]


def test_a_gpu_of_which_nothing_is_known_has_one_worker(host_with_gpu, visitors):
    tasks = [visitors.submit(host_with_gpu.run, SeeProcess(machine=REAL)) for _ in range(4)]

    assert len({task.result().pid for task in tasks}) == 1
