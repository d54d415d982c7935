import os

import pytest
import torch

from playground.lessons.devices.records import (
    Call,
    CompareMemoryFigures,
    CurrentWay,
    DefaultWay,
    Factory,
    Idiom,
    Moment,
    PickDevice,
    TryAllGpus,
    TryGpu,
    UseCurrentDevice,
    UseDefaultDevice,
    UseDevice,
    Variable,
    VisibleDevices,
)
from playground.machines import Machine, MachineKind
from playground.machines.visible_devices import simulated_uuids
from tests.lessons.devices.answering import run
from tests.turns import in_turn

REAL = Machine(kind=MachineKind.REAL)


@in_turn("gpus", range(5))
@pytest.mark.parametrize("index", range(5))
def test_try_gpu_gives_the_gpu_or_the_cpu(gpus, index):
    report = run(TryGpu(machine=Machine(gpus=gpus), index=index))

    exists = index < gpus
    assert report.device == (f"cuda:{index}" if exists else "cpu")
    assert report.fell_back is not exists
    assert report.insisted.ok is exists  # the next line does not fall back


@pytest.mark.parametrize("gpus", [0, 1, 3])
def test_the_list_of_gpus_is_empty_where_its_docstring_promises_the_cpu(gpus):
    report = run(TryAllGpus.on_host(gpus))

    devices = tuple(f"cuda:{index}" for index in range(gpus))
    assert report.as_written == devices
    assert report.as_promised == (devices or ("cpu",))
    assert report.actual == ("works" if gpus else "IndexError")


@pytest.mark.parametrize("idiom", Idiom)
@pytest.mark.parametrize("gpus", [0, 1, 3])
def test_portable_code_takes_what_is_there(idiom, gpus):
    report = run(PickDevice(machine=Machine(gpus=gpus), idiom=idiom))

    assert report.device == ("cuda:0" if gpus else "cpu")
    assert [host.device for host in report.elsewhere] == ["cpu", "cuda:0", "cuda:0"]


@in_turn(
    ("value", "mapping", "why"),
    [
        (None, (0, 1, 2, 3), "visible-unset"),
        ("1", (1,), "visible-renumbered"),
        ("0,2,3", (0, 2, 3), "visible-renumbered"),
        ("0,1", (0, 1), "visible-same"),
        ("", (), "visible-nothing"),
        ("-1", (), "visible-nothing"),
        ("nonsense", (), "visible-nothing"),
        ("0,0", (), "visible-nothing"),
        (" 1", (1,), "visible-renumbered"),
        ("1,x,2", (1,), "visible-stopped"),
        ("0,9", (0,), "visible-stopped"),
        (simulated_uuids(4)[2], (2,), "visible-renumbered"),
        ("GPU-", (), "visible-nothing"),
    ],
)
def test_the_value_decides_which_gpu_is_which(value, mapping, why):
    report = run(VisibleDevices(value=value, physical_gpus=4))

    assert (report.mapping, report.why) == (mapping, why)
    assert set(report.mapping) | set(report.hidden) == {0, 1, 2, 3}


@pytest.mark.parametrize("physical_gpus", [0, 2, 4])
@pytest.mark.parametrize("value", ["1", "3,1", "", "-1", "0,0", "x", "2,0,9", "GPU-51b0a7ed"])
def test_the_mapping_is_what_torch_makes_of_it(monkeypatch, value, physical_gpus):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    named = torch.cuda._parse_visible_devices()
    uuids = list(simulated_uuids(physical_gpus))
    if named and isinstance(named[0], str):
        named = torch.cuda._transform_uuid_to_ordinals(named, uuids)
    known = next((n for n, index in enumerate(named) if index >= physical_gpus), len(named))

    report = run(VisibleDevices(value=value, physical_gpus=physical_gpus))

    assert report.mapping == tuple(named[:known])


def test_a_misspelt_variable_is_read_by_nobody():
    report = run(VisibleDevices(value="1", variable=Variable.CUDA_VISIBLE_DEVICE))

    assert (report.mapping, report.why) == ((0, 1, 2, 3), "visible-misspelt")


def test_setting_it_after_cuda_has_started_does_nothing():
    report = run(VisibleDevices(value="1", moment=Moment.AFTER))

    assert (report.mapping, report.why) == ((0, 1, 2, 3), "visible-too-late")


def test_the_servers_own_environment_is_left_alone():
    before = dict(os.environ)

    run(VisibleDevices(value="1"))

    assert dict(os.environ) == before


@in_turn("way", CurrentWay)
@pytest.mark.parametrize(
    ("call", "device"),
    [
        (Call.CUDA, "cuda:1"),
        (Call.TO_CUDA, "cuda:1"),
        (Call.ONES_CUDA, "cuda:1"),
        (Call.ONES, "cpu"),
        (Call.ONES_CUDA_0, "cuda:0"),
    ],
)
def test_the_current_gpu_decides_what_cuda_means_and_nothing_else(way, call, device):
    report = run(UseCurrentDevice(way=way, call=call))

    assert report.device == device
    assert {landing.code: landing.device for landing in report.landings} == {
        "x.cuda()": "cuda:1",
        'x.to("cuda")': "cuda:1",
        'torch.ones(2, device="cuda")': "cuda:1",
        "torch.ones(2)": "cpu",
        'torch.ones(2, device="cuda:0")': "cuda:0",
    }


@pytest.mark.parametrize("way", CurrentWay)
def test_a_gpu_that_is_not_there_cannot_become_the_current_one(way):
    report = run(UseCurrentDevice(machine=Machine(gpus=1), way=way, index=1))

    assert not report.outcome.ok
    assert (report.actual, report.why) == ("refused", "current-refused")


@pytest.mark.parametrize("way", DefaultWay)
def test_the_default_device_is_heeded_by_lines_that_name_none(way):
    report = run(UseDefaultDevice(way=way))

    where = {landing.code: landing.device for landing in report.landings}
    heeds = {"torch.ones(2)", "torch.tensor([1.0, 2.0])", "torch.nn.Linear(2, 1).weight"}
    heeds |= {"torch.as_tensor(array)"}
    assert {code for code, device in where.items() if device == "cuda:1"} == heeds
    assert {device for code, device in where.items() if code not in heeds} == {"cpu"}


@pytest.mark.parametrize(
    ("factory", "why"),
    [(Factory.ONES, "default-followed"), (Factory.FROM_NUMPY, "default-ignored")],
)
def test_the_reason_fits_the_line(factory, why):
    assert run(UseDefaultDevice(factory=factory)).why == why


def test_an_absent_default_device_is_refused_when_it_is_used():
    report = run(UseDefaultDevice(machine=REAL, device="cuda:63"))

    assert (report.actual, report.why) == ("refused", "default-refused")


def test_the_retired_setter_is_quoted_without_a_path():
    warning = run(UseDefaultDevice()).retired_warning

    assert warning.startswith("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1")
    assert "/" not in warning
    assert warning == run(UseDefaultDevice()).retired_warning  # torch says it once per process


@pytest.mark.gpu
@pytest.mark.parametrize(
    "settings",
    [UseDevice(machine=REAL, text="cuda"), TryGpu(machine=REAL, index=0), PickDevice(machine=REAL)]
    + [UseCurrentDevice(machine=REAL, index=0), UseDefaultDevice(machine=REAL, device="cuda:0")]
    + [CompareMemoryFigures(machine=REAL)],
)
def test_a_real_gpu_answers_as_the_simulated_one(settings):
    if not torch.cuda.is_available():
        pytest.skip("needs CUDA")
    gpus = torch.cuda.device_count()
    twin = {**{f: getattr(settings, f) for f in settings.__slots__}, "machine": Machine(gpus=gpus)}

    real, simulated = run(settings), run(type(settings)(**twin))

    assert (real.actual, real.why) == (simulated.actual, simulated.why)
