import gc
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from playground.errors import NotSimulatedError
from playground.machines.simulated import simulated_gpus

KIB, MIB, GIB = 2**10, 2**20, 2**30


def test_a_training_step_leaves_parameters_gradients_and_state():
    with simulated_gpus(1):
        net = nn.Linear(128, 128, bias=False).cuda()  # 64 KiB
        optimizer = torch.optim.Adam(net.parameters())
        net(torch.ones(1, 128, device="cuda")).sum().backward()
        optimizer.step()
        gc.collect()
        assert torch.cuda.memory_allocated() == 4 * 64 * KIB  # weight, gradient, two averages


def test_activations_are_held_until_backward():
    with simulated_gpus(1):
        x = torch.ones(256, 1024, device="cuda", requires_grad=True)  # 1 MiB
        y = x.exp()  # keeps its result for the backward pass
        z = y.sum()
        del y
        assert torch.cuda.memory_allocated() == 2 * MIB + 512
        z.backward()
        del z
        assert torch.cuda.memory_allocated() == 2 * MIB  # x and its gradient


def test_moving_a_module_frees_it_on_the_old_device():
    with simulated_gpus(2):
        net = nn.Linear(128, 128, bias=False).to("cuda:0")
        net.to("cuda:1")
        assert torch.cuda.memory_allocated(0) == 0
        assert torch.cuda.memory_allocated(1) == 64 * KIB
        assert len(list(net.parameters())) == 1


def test_the_summary_has_the_figures_in_the_columns_of_torch():
    with simulated_gpus(1):
        x = torch.ones(MIB, device="cuda")  # 4 MiB, in a segment of 20
        y = x + 1
        del y
        summary = torch.cuda.memory_summary()

    assert " Allocated memory      |   4096 KiB |   8192 KiB |\n" in summary
    assert " GPU reserved memory   |  20480 KiB |  20480 KiB |\n" in summary
    assert len({len(line) for line in summary.splitlines()}) == 1


def test_the_figures_of_a_refusal_add_up():
    with simulated_gpus(1, memory_gib=1.0):
        x = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda")
        with pytest.raises(torch.OutOfMemoryError) as error:
            torch.empty(768 * MIB, dtype=torch.uint8, device="cuda")
        assert x.is_cuda

    assert "Tried to allocate 768.00 MiB" in str(error.value)
    assert "GPU 0 has a total capacity of 1.00 GiB of which 512.00 MiB is free" in str(error.value)
    assert "512.00 MiB is allocated by PyTorch, and 0 bytes is reserved" in str(error.value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: torch.ones(2**40, device="cuda"),
        lambda: torch.arange(2**40, device="cuda"),
        lambda: torch.eye(2**20, device="cuda"),
        lambda: torch.randn(2**20, 2**20, device="cuda"),
        lambda: torch.ones(1, device="cuda").expand(2**40) * 2,
        lambda: torch.ones(2**18, 1, device="cuda") + torch.ones(1, 2**18, device="cuda"),
        lambda: torch.ones(2**18, 2, device="cuda") @ torch.ones(2, 2**18, device="cuda"),
    ],
)
def test_what_cannot_fit_is_refused_before_this_computer_takes_memory(build):
    with simulated_gpus(1), pytest.raises(torch.OutOfMemoryError):
        build()


@pytest.fixture
def little_memory(monkeypatch):
    """This computer has 32 MiB free."""
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=32 * MIB))


@pytest.mark.usefixtures("little_memory")
def test_what_this_computer_cannot_hold_is_not_simulated():
    with simulated_gpus(1), pytest.raises(NotSimulatedError):
        torch.ones(128 * MIB, dtype=torch.uint8, device="cuda")


@pytest.mark.usefixtures("little_memory")
def test_asking_for_memory_without_filling_it_costs_this_computer_nothing():
    with simulated_gpus(1, memory_gib=80.0):
        x = torch.empty(8 * GIB, dtype=torch.uint8, device="cuda")
        assert torch.cuda.memory_allocated() == 8 * GIB
        assert x.is_cuda
