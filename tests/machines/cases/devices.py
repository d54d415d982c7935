"""The current device, the default device, properties, seeds, and processes that fork."""

import os
from contextlib import suppress

import torch
from torch import nn

from tests.machines.cases.case import ORDINAL, Refusal, case, devices, placed, row, table


@case(["cuda:1", "cuda:1", "cuda:0"], gpus=2)
def the_current_device_is_what_cuda_means():
    torch.cuda.set_device(1)
    try:
        found = devices(torch.ones(1, device="cuda"), torch.ones(1).cuda())
    finally:
        torch.cuda.set_device(0)
    return [*found, torch.ones(1).cuda().device]


@case(["cuda:1", "cpu", 0], gpus=2)
def with_cuda_device_moves_cuda_but_not_plain_factories():
    with suppress(KeyError), torch.cuda.device(1):
        found = devices(torch.ones(1).cuda(), torch.ones(1))
        raise KeyError  # an error ends it, too
    return [*found, torch.cuda.current_device()]


@case(["cuda:1", "cuda:0"], gpus=2)
def with_device_of_a_tensor():
    with torch.cuda.device_of(torch.ones(1, device="cuda:1")):
        inside = torch.ones(1).cuda().device
    return [inside, torch.ones(1).cuda().device]


@case(ORDINAL)
def with_a_missing_gpu():
    with torch.cuda.device(63):
        pass


@case(0)
def a_negative_index_changes_nothing():
    with torch.cuda.device(-1):
        return torch.cuda.current_device()


@case(["cuda:0", "cuda:0", "cuda:0", "cuda:0", "cpu", "cpu"])
def set_default_device():
    torch.set_default_device("cuda")
    try:
        found = devices(torch.ones(1), nn.Linear(1, 1).weight, torch.tensor([1.0]))
        found.append(torch.get_default_device())
    finally:
        torch.set_default_device(None)
    return [*found, torch.ones(1).device, torch.get_default_device()]


@case(["cuda:0", "cuda:0", "cuda:0", "cpu", "cpu", "cpu"])
def with_torch_device():
    with torch.device("cuda"):
        placed_there = [torch.ones(1), torch.arange(3), torch.zeros_like(torch.ones(1))]
        not_there = [torch.ones(1, device="cpu"), torch.Tensor([1.0])]
    return devices(*placed_there, *not_there, torch.ones(1))


@case(["cuda:1", "cuda:1"], gpus=2)
def with_torch_device_of_the_second_gpu():
    with torch.device("cuda:1"):
        net = nn.Linear(2, 2)
        return devices(net.weight, net(torch.ones(1, 2)))


@case(["cpu", "cuda:0"])
def default_devices_nest():
    with torch.device("cuda"):
        with torch.device("cpu"):
            inner = torch.ones(1)
        return devices(inner, torch.ones(1))


@case(["cuda:0", [[0.0, 0.0]]])
def composite_functions_under_a_default_device():
    with torch.device("cuda"):
        x = torch.nn.functional.one_hot(torch.tensor([0]), 2).float()
        return placed(nn.init.zeros_(torch.empty(1, 2)) * x)


@case([1, 0, 1, 0], gpus=2)
def torch_accelerator_sets_the_device():
    torch.accelerator.set_device_index(1)
    try:
        found = [torch.cuda.current_device()]
    finally:
        torch.accelerator.set_device_index(0)
    found.append(torch.cuda.current_device())
    with torch.accelerator.device_index(1):
        found.append(torch.cuda.current_device())
    return [*found, torch.cuda.current_device()]


@case([True, True, True])
def a_name_and_properties():
    properties = torch.cuda.get_device_properties(0)
    name = torch.cuda.get_device_name(0)
    return [
        isinstance(name, str) and name == properties.name,
        properties.total_memory > 0,
        torch.cuda.get_device_capability(0) == (properties.major, properties.minor),
    ]


@case([None, None, True])
def synchronize_and_initialised():
    torch.ones(1, device="cuda")
    return [torch.cuda.synchronize(), torch.accelerator.synchronize(), torch.cuda.is_initialized()]


@case([True, True, False, False])
def seeds_repeat():
    def draw(seed, device="cuda", set_seed=torch.manual_seed):
        set_seed(seed)
        return torch.rand(3, device=device).tolist()

    every = torch.cuda.manual_seed_all
    return [
        draw(1) == draw(1),
        draw(5, set_seed=every) == draw(5, set_seed=every),
        draw(1) == draw(2),
        draw(1) == draw(1, "cpu"),
    ]


@case([True, True])
def seeding_the_gpu_leaves_the_cpu_alone():
    torch.manual_seed(3)
    first = torch.rand(2)
    torch.manual_seed(3)
    torch.cuda.manual_seed(99)
    torch.rand(4, device="cuda")
    second = torch.rand(2)
    state = torch.cuda.get_rng_state()
    drawn = torch.rand(2, device="cuda")
    torch.cuda.set_rng_state(state)
    return [torch.equal(first, second), torch.equal(drawn, torch.rand(2, device="cuda"))]


@case(True)
def fork_rng_covers_the_gpus():
    before = torch.cuda.get_rng_state()
    with torch.random.fork_rng(devices=[0]):
        torch.rand(5, device="cuda")
    return torch.equal(torch.cuda.get_rng_state(), before)


@case(["cuda:0", "cuda:0", "cpu"])
def the_textbook_try_gpu():
    def try_gpu(i=0):
        return (
            torch.device(f"cuda:{i}") if torch.cuda.device_count() >= i + 1 else torch.device("cpu")
        )

    x, y = torch.ones(1, device=try_gpu()), torch.ones(1, device=try_gpu(63))
    return [try_gpu(), *devices(x, y)]


@case(
    Refusal(
        r"Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you "
        r"must use the 'spawn' start method"
    ),
    fresh=True,
)
def a_fork_after_the_first_use():
    torch.ones(1, device="cuda")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            torch.ones(1, device="cuda")
        except RuntimeError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    raise RuntimeError(os.read(reader, 1000).decode())


table(
    __name__,
    availability=row(
        [True, True, 0, True, "cuda", True, 0],
        lambda: [
            torch.cuda.is_available(),
            torch.cuda.device_count() >= 1,
            torch.cuda.current_device(),
            torch.accelerator.is_available(),
            torch.accelerator.current_accelerator(),
            torch.accelerator.device_count() == torch.cuda.device_count(),
            torch.accelerator.current_device_index(),
        ],
    ),
    set_device_to_a_missing_gpu=row(ORDINAL, lambda: torch.cuda.set_device(63)),
    set_device_to_the_cpu=row(
        Refusal(r"Expected a cuda device, but got: cpu", "ValueError"),
        lambda: torch.cuda.set_device("cpu"),
    ),
    properties_of_a_missing_gpu=row(
        Refusal(r"Invalid device id", "AssertionError"),
        lambda: torch.cuda.get_device_properties(63),
    ),
)
