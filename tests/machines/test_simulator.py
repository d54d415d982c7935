import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from playground.errors import InvalidSettingError
from playground.machines.machine import Machine, MachineKind
from playground.machines.machine_context import running_on
from playground.machines.simulated import simulated_gpus
from playground.machines.simulated.host import read_visible_gpus
from playground.machines.visible_devices import simulated_uuids

VARIABLE = "CUDA_VISIBLE_DEVICES"


def state() -> tuple[object, ...]:
    return (
        torch.cuda.is_available(),
        torch.cuda.device_count(),
        torch.accelerator.current_accelerator(),
        torch.get_default_device(),
        torch.Generator,
        torch.cuda.Stream,
        torch.cuda.FloatTensor,
        torch.nn.DataParallel,
        os.environ.get(VARIABLE),
        tuple(warnings.filters),
        tuple(_get_current_function_mode_stack()),
        tuple(_get_current_dispatch_mode_stack()),
    )


def test_leaving_restores_everything():
    before = state()

    def fail() -> None:
        with simulated_gpus(2):
            torch.set_default_device("cuda:1")
            torch.cuda.set_device(1)
            os.environ[VARIABLE] = "1"
            torch.ones(2)
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert state() == before


def test_the_outer_default_device_comes_back():
    torch.set_default_device("meta")
    try:
        with simulated_gpus(1):
            torch.set_default_device("cuda")
            assert torch.ones(1).is_cuda
        assert torch.ones(1).is_meta
    finally:
        torch.set_default_device(None)


@pytest.mark.parametrize("value", ["", "1"])
def test_the_simulated_host_starts_with_its_own_environment(monkeypatch, value):
    monkeypatch.setenv(VARIABLE, value)

    with simulated_gpus(2):
        assert VARIABLE not in os.environ
        assert torch.cuda.device_count() == 2

    assert os.environ[VARIABLE] == value


def test_machines_nest():
    with simulated_gpus(2):
        outer = torch.ones(2, device="cuda:1")
        with simulated_gpus(1):
            assert torch.cuda.device_count() == 1
            with pytest.raises(torch.AcceleratorError):
                torch.ones(2, device="cuda:1")
        with simulated_gpus(0):
            assert not torch.cuda.is_available()
            assert torch.ones(2).device.type == "cpu"
        assert torch.cuda.device_count() == 2
        assert str((outer + 1).device) == "cuda:1"


def test_without_gpus_torch_answers_for_itself():
    if torch.cuda.is_available():
        pytest.skip("this computer has a GPU")
    calls = (lambda: torch.ones(1).cuda(), lambda: torch.ones(1).cuda(1), torch.cuda.current_device)
    genuine = [refusal(call) for call in calls]

    with simulated_gpus(0):
        assert [refusal(call) for call in calls] == genuine
        assert torch.cuda.device_count() == 0


def refusal(call) -> tuple[str, str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the text is what is compared
        call()
    return type(caught.value).__name__, str(caught.value)


def test_another_thread_notices_nothing():
    def look() -> list[object]:
        devices = torch.ones(2).device, torch.get_default_device()
        return [torch.cuda.is_available(), *map(str, devices)]

    before = torch.cuda.is_available()
    with simulated_gpus(2), ThreadPoolExecutor(1) as pool:
        torch.set_default_device("cuda")
        assert pool.submit(look).result() == [before, "cpu", "cpu"]


def test_threads_have_machines_of_their_own():
    ready = threading.Barrier(3)

    def count(gpus: int) -> int:
        with simulated_gpus(gpus):
            ready.wait(timeout=300)
            found = torch.cuda.device_count()
            ready.wait(timeout=300)
            return found

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(count, (1, 2, 3))) == [1, 2, 3]


@pytest.mark.parametrize(
    ("field", "given"),
    [("count", count) for count in (-1, 9, 1.5, True, "2")]
    + [("memory_gib", memory_gib) for memory_gib in (0.0, 1000.0, float("nan"), "8")],
)
def test_an_impossible_number_of_gpus_or_memory_is_refused(field, given):
    with (
        pytest.raises(InvalidSettingError) as error,
        simulated_gpus(**({"count": 1} | {field: given})),
    ):
        pass

    assert error.value.field == field


def test_running_on_a_real_machine_changes_nothing():
    before = state()

    with running_on(Machine(kind=MachineKind.REAL)):
        assert state() == before


def test_running_on_a_simulated_machine_has_its_gpus_and_memory():
    with running_on(Machine(gpus=3, memory_gib=0.5)):
        assert torch.cuda.device_count() == 3
        assert torch.cuda.mem_get_info(2)[1] == 2**29


def test_the_random_numbers_of_the_cpu_are_the_same_as_without():
    torch.manual_seed(7)
    expected = torch.rand(3).tolist()

    with simulated_gpus(2):
        torch.manual_seed(7)
        torch.rand(5, device="cuda")
        given = torch.rand(3).tolist()

    assert given == expected


def test_tensors_made_inside_are_cpu_tensors_outside():
    with simulated_gpus(1):
        x = torch.arange(3.0, device="cuda")

    assert x.device.type == "cpu"
    assert x.numpy().tolist() == [0, 1, 2]


def test_the_visible_gpus_keep_their_physical_names_and_memory():
    with simulated_gpus(3):
        os.environ[VARIABLE] = "2,0"
        names = [torch.cuda.get_device_name(i) for i in (0, 1)]
        assert names == ["Simulated GPU 2", "Simulated GPU 0"]
        x = torch.ones(2, device="cuda:0")
        assert str(x.device) == "cuda:0"
        assert torch.cuda.memory_allocated(0) == 512


def test_gpus_can_be_named_by_the_start_of_their_uuid():
    with simulated_gpus(2):
        os.environ[VARIABLE] = simulated_uuids(2)[1]
        assert read_visible_gpus(2) == (1,)
        os.environ[VARIABLE] = "GPU-51b0"  # both begin so: ambiguous, as torch decides
        assert read_visible_gpus(2) == ()
