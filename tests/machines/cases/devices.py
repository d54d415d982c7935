import torch
from torch import nn

from tests.machines.cases.case import Refusal, case, row, table

ORDINAL = Refusal(r"CUDA error: invalid device ordinal", "AcceleratorError")


@case(["cuda:1", "cuda:1", "cuda:0"], gpus=2)
def the_current_device_is_what_cuda_means():
    torch.cuda.set_device(1)
    try:
        found = [str(torch.ones(1, device="cuda").device), str(torch.ones(1).cuda().device)]
    finally:
        torch.cuda.set_device(0)
    return [*found, str(torch.ones(1).cuda().device)]


@case(["cuda:1", "cpu", 0], gpus=2)
def with_cuda_device_moves_cuda_but_not_plain_factories():
    with torch.cuda.device(1):
        found = [str(torch.ones(1).cuda().device), str(torch.ones(1).device)]
    return [*found, torch.cuda.current_device()]


@case(["cuda:1", "cuda:0"], gpus=2)
def with_device_of_a_tensor():
    x = torch.ones(1, device="cuda:1")
    with torch.cuda.device_of(x):
        inside = str(torch.ones(1).cuda().device)
    return [inside, str(torch.ones(1).cuda().device)]


@case([0, 0], gpus=2)
def the_current_device_returns_after_an_error():
    before = torch.cuda.current_device()
    try:
        with torch.cuda.device(1):
            raise KeyError
    except KeyError:
        pass
    return [before, torch.cuda.current_device()]


@case(ORDINAL)
def with_a_missing_gpu():
    with torch.cuda.device(63):
        pass


@case(0)
def a_negative_index_changes_nothing():
    with torch.cuda.device(-1):
        return torch.cuda.current_device()


@case(["cuda:0", "cuda:0", "cuda:0", "cpu"])
def set_default_device():
    torch.set_default_device("cuda")
    try:
        found = [torch.ones(1), nn.Linear(1, 1).weight, torch.tensor([1.0])]
        places = [str(x.device) for x in found]
    finally:
        torch.set_default_device(None)
    return [*places, str(torch.ones(1).device)]


@case(["cuda:0", "cpu"])
def get_default_device():
    torch.set_default_device("cuda")
    try:
        inside = str(torch.get_default_device())
    finally:
        torch.set_default_device(None)
    return [inside, str(torch.get_default_device())]


@case(["cuda:0", "cuda:0", "cpu", "cpu"])
def with_torch_device():
    with torch.device("cuda"):
        found = [torch.ones(1), torch.arange(3), torch.ones(1, device="cpu")]
    return [str(x.device) for x in [*found, torch.ones(1)]]


@case(["cuda:1", "cuda:1"], gpus=2)
def with_torch_device_of_the_second_gpu():
    with torch.device("cuda:1"):
        net = nn.Linear(2, 2)
        return [str(net.weight.device), str(net(torch.ones(1, 2)).device)]


@case(["cpu", "cuda:0"])
def what_a_default_device_does_not_affect():
    with torch.device("cuda"):
        return [str(torch.Tensor([1.0]).device), str(torch.zeros_like(torch.ones(1)).device)]


@case(["cuda:0", "cpu", "cuda:0"])
def default_devices_nest():
    with torch.device("cuda"):
        with torch.device("cpu"):
            inner = str(torch.ones(1).device)
        return [str(torch.ones(1).device), inner, str(torch.ones(1).device)]


@case(["cuda:0", [[0.0, 0.0]]])
def composite_functions_under_a_default_device():
    with torch.device("cuda"):
        x = torch.nn.functional.one_hot(torch.tensor([0]), 2).float()
        y = nn.init.zeros_(torch.empty(1, 2)) * x
    return [str(y.device), y.tolist()]


@case([1, 0], gpus=2)
def torch_accelerator_sets_the_device():
    torch.accelerator.set_device_index(1)
    try:
        inside = torch.cuda.current_device()
    finally:
        torch.accelerator.set_device_index(0)
    return [inside, torch.cuda.current_device()]


@case([1, 0], gpus=2)
def torch_accelerator_as_a_context():
    with torch.accelerator.device_index(1):
        inside = torch.cuda.current_device()
    return [inside, torch.cuda.current_device()]


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


@case([True, True, False])
def seeds_repeat():
    def draw(seed):
        torch.manual_seed(seed)
        return torch.rand(3, device="cuda").tolist()

    torch.cuda.manual_seed_all(5)
    first = torch.rand(2, device="cuda").tolist()
    torch.cuda.manual_seed_all(5)
    again = torch.rand(2, device="cuda").tolist()
    return [draw(1) == draw(1), first == again, draw(1) == draw(2)]


@case([True, True])
def seeding_the_gpu_leaves_the_cpu_alone():
    torch.manual_seed(3)
    first = torch.rand(2).tolist()
    torch.manual_seed(3)
    torch.cuda.manual_seed(99)
    torch.rand(4, device="cuda")
    second = torch.rand(2).tolist()
    state = torch.cuda.get_rng_state()
    drawn = torch.rand(2, device="cuda").tolist()
    torch.cuda.set_rng_state(state)
    return [first == second, drawn == torch.rand(2, device="cuda").tolist()]


@case(True)
def fork_rng_covers_the_gpus():
    torch.manual_seed(0)
    before = torch.cuda.get_rng_state().tolist()
    with torch.random.fork_rng(devices=[0]):
        torch.rand(5, device="cuda")
    return torch.cuda.get_rng_state().tolist() == before


@case(["cuda:0", "cuda:0"])
def the_textbook_try_gpu():
    def try_gpu(i=0):
        return (
            torch.device(f"cuda:{i}") if torch.cuda.device_count() >= i + 1 else torch.device("cpu")
        )

    return [str(try_gpu()), str(torch.ones(1, device=try_gpu()).device)]


@case("cpu")
def the_textbook_try_gpu_falls_back():
    def try_gpu(i=0):
        return (
            torch.device(f"cuda:{i}") if torch.cuda.device_count() >= i + 1 else torch.device("cpu")
        )

    return str(torch.ones(1, device=try_gpu(63)).device)


@case([True, False])
def one_seed_draws_other_numbers_on_the_gpu():
    torch.manual_seed(1)
    first, other = torch.rand(4, device="cuda").tolist(), torch.rand(4).tolist()
    torch.manual_seed(1)
    return [torch.rand(4, device="cuda").tolist() == first, first == other]


table(
    __name__,
    availability=row(
        [True, True, 0],
        lambda: [
            torch.cuda.is_available(),
            torch.cuda.device_count() >= 1,
            torch.cuda.current_device(),
        ],
    ),
    set_device_to_a_missing_gpu=row(ORDINAL, lambda: torch.cuda.set_device(63)),
    set_device_to_the_cpu=row(
        Refusal(r"Expected a cuda device, but got: cpu", "ValueError"),
        lambda: torch.cuda.set_device("cpu"),
    ),
    torch_accelerator=row(
        [True, "cuda", True, 0],
        lambda: [
            torch.accelerator.is_available(),
            str(torch.accelerator.current_accelerator()),
            torch.accelerator.device_count() == torch.cuda.device_count(),
            torch.accelerator.current_device_index(),
        ],
    ),
    properties_of_a_missing_gpu=row(
        Refusal(r"Invalid device id", "AssertionError"),
        lambda: torch.cuda.get_device_properties(63),
    ),
)
