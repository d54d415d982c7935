import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from playground.errors import NotSimulatedError
from playground.machines.simulated import simulated_gpus


def autocast():
    with torch.autocast("cuda"):
        nn.LSTM(2, 2, device="cuda")(torch.ones(1, 2, device="cuda"))


def integers(*shape: int) -> torch.Tensor:
    return torch.ones(*shape, dtype=torch.int64, device="cuda")


REFUSED = {
    "a generic event": lambda: torch.Event("cuda"),
    "a graph": lambda: torch.cuda.CUDAGraph(),
    "a generator": lambda: torch.Generator("cuda"),
    "autocast of a recurrent layer": autocast,
    "compile": lambda: torch.compile(nn.Linear(1, 1)),
    "trace": lambda: torch.jit.trace(nn.Linear(1, 1), torch.ones(1)),
    "export": lambda: torch.export.export(nn.Linear(1, 1), (torch.ones(1, 1),)),
    "script": lambda: torch.jit.script(nn.Linear(1, 1)),
    "sparse": lambda: torch.ones(2, 2, device="cuda").to_sparse(),
    "parallel function": lambda: nn.parallel.data_parallel(nn.Linear(1, 1), torch.ones(2, 1)),
    "scatter": lambda: nn.parallel.scatter(torch.ones(2, 1), [0, 1]),
    "broadcast": lambda: torch.cuda.comm.broadcast(torch.ones(1), [0, 1]),
    "sleep": lambda: torch.cuda._sleep(1),
    "nvtx": lambda: torch.cuda.nvtx.range_push("step"),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2)], device="cuda"),
    "convolution of integers": lambda: F.conv1d(integers(1, 1, 3), integers(1, 1, 2)),
    "dlpack": lambda: torch.utils.dlpack.to_dlpack(torch.ones(1, device="cuda")),
    "shared memory": lambda: torch.ones(1, device="cuda").share_memory_(),
    "array interface": lambda: torch.ones(1, device="cuda").__cuda_array_interface__,
    "other statistics": lambda: torch.cuda.memory_stats()["num_ooms"],
    "multiprocessors": lambda: torch.cuda.get_device_properties(0).multi_processor_count,
    "peer access": lambda: torch.cuda.can_device_access_peer(0, 1),
    "sensors": lambda: torch.cuda.temperature(),
    "meta beside cuda": lambda: torch.ones(2, device="cuda") + torch.ones(2, device="meta"),
    "pinning beside workers": lambda: iter(DataLoader([1], num_workers=1, pin_memory=True)),
    "tensor type": lambda: torch.set_default_tensor_type("torch.cuda.FloatTensor"),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_it_is_refused(call):
    with simulated_gpus(2):
        torch.ones(1, device="cuda")
        with pytest.raises(NotSimulatedError) as error:
            call()

    assert error.value.key == "not_simulated"
    assert error.value.values["what"]


def test_what_works_on_the_cpu_alone_still_works():
    with simulated_gpus(1):
        assert torch.rand(2, generator=torch.Generator().manual_seed(0)).shape == (2,)
        assert isinstance(torch.default_generator, torch.Generator)
        with torch.autocast("cuda", enabled=False):
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32


def test_a_generator_of_the_cpu_does_not_draw_on_the_gpu():
    with simulated_gpus(1), pytest.raises(RuntimeError, match="Expected a 'cuda' device type"):
        torch.rand(2, device="cuda", generator=torch.Generator())


def test_legacy_types_are_answered():
    with simulated_gpus(1):
        x = torch.cuda.FloatTensor([1.0, 2.0])
        assert (x.is_cuda, x.tolist()) == (True, [1.0, 2.0])
        assert isinstance(x, torch.cuda.FloatTensor)
        assert not isinstance(x.cpu(), torch.cuda.FloatTensor)


def test_function_transforms_see_the_device():
    seen: list[str] = []

    def square(x: torch.Tensor) -> torch.Tensor:
        seen.append(str(x.device))
        return (x * x).sum()

    with simulated_gpus(1):
        x = torch.ones(2, 3, device="cuda")
        gradient = torch.func.grad(square)(x)
        rows = torch.vmap(square)(x)
        assert (str(gradient.device), str(rows.device)) == ("cuda:0", "cuda:0")
        with pytest.raises(RuntimeError, match="same device"):
            torch.vmap(lambda row: row + torch.ones(3))(x)

    assert seen == ["cuda:0", "cuda:0"]


def test_a_tensor_of_an_outer_simulator_with_more_gpus():
    with simulated_gpus(2):
        x = torch.ones(2, device="cuda:1")
        with simulated_gpus(1), pytest.raises(NotSimulatedError):
            x + 1
        assert (x + 1).tolist() == [2.0, 2.0]
