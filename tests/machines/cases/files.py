import io

import torch
from torch import nn

from tests.machines.cases.case import Refusal, case, row, table


def saved(thing):
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return file


def places(state):
    return sorted({str(value.device) for value in state.values()})


@case(["cpu", [0.0, 1.0, 2.0]])
def map_location_to_the_cpu():
    x = torch.load(saved(torch.arange(3.0, device="cuda")), map_location="cpu")
    return [str(x.device), x.tolist()]


@case(["cuda:1", "cuda:1"], gpus=2)
def map_location_between_gpus():
    file = saved(torch.ones(2, device="cuda:0"))
    first = torch.load(file, map_location="cuda:1")
    file.seek(0)
    return [str(first.device), str(torch.load(file, map_location={"cuda:0": "cuda:1"}).device)]


@case([["cuda:0"], ["cpu"]])
def a_state_dict_with_and_without_map_location():
    file = saved(nn.Linear(2, 2).cuda().state_dict())
    first = places(torch.load(file))
    file.seek(0)
    return [first, places(torch.load(file, map_location="cpu"))]


@case(["cuda:0", "<All keys matched successfully>", True])
def load_state_dict_copies_across_devices():
    source, net = nn.Linear(2, 2), nn.Linear(2, 2).cuda()
    message = net.load_state_dict(source.state_dict())
    return [str(net.weight.device), str(message), torch.equal(net.weight.cpu(), source.weight)]


@case("cpu")
def load_state_dict_with_assign_takes_the_tensors_over():
    net = nn.Linear(2, 2).cuda()
    net.load_state_dict(nn.Linear(2, 2).state_dict(), assign=True)
    return str(net.weight.device)


@case([True, [9.0, 1.0]])
def two_views_saved_together_still_share():
    x = torch.ones(2, device="cuda")
    first, second = torch.load(saved([x, x.view(2)]))
    first[0] = 9
    return [first.data_ptr() == second.data_ptr(), second.tolist()]


@case(["cuda:0", "cpu"])
def an_optimizer_state_comes_back():
    net = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 2, device="cuda")).sum().backward()
    optimizer.step()
    state = torch.load(saved(optimizer.state_dict()))["state"][0]
    return [str(state["exp_avg"].device), str(state["step"].device)]


@case(["cuda:0", "cpu"])
def map_location_is_a_function_that_moves():
    moved = torch.load(saved(torch.ones(2)), map_location=lambda storage, _: storage.cuda(0))
    kept = torch.load(saved(torch.ones(2, device="cuda")), map_location=lambda storage, _: storage)
    return [str(moved.device), str(kept.device)]


@case(["cuda:0", "cpu", [1.0, 1.0]])
def storages_move():
    storage = torch.ones(2).untyped_storage().cuda()
    back = storage.cpu()
    return [str(storage.device), str(back.device), torch.tensor([]).set_(back).tolist()]


table(
    __name__,
    a_tensor_comes_back_to_its_device=row(
        "cuda:0", lambda: str(torch.load(saved(torch.ones(2, device="cuda"))).device)
    ),
    a_tensor_comes_back_to_the_second_gpu=row(
        "cuda:1", lambda: str(torch.load(saved(torch.ones(2, device="cuda:1"))).device), gpus=2
    ),
    map_location_to_the_gpu=row(
        "cuda:0", lambda: str(torch.load(saved(torch.ones(2)), map_location="cuda").device)
    ),
    map_location_by_a_function=row(
        "cpu",
        lambda: str(
            torch.load(
                saved(torch.ones(2, device="cuda")),
                map_location=lambda storage, _: storage.cpu() if storage.is_cuda else storage,
            ).device
        ),
    ),
    map_location_by_a_device_object=row(
        "cuda:0",
        lambda: str(torch.load(saved(torch.ones(2)), map_location=torch.device("cuda:0")).device),
    ),
    a_cpu_file_stays_on_the_cpu=row(
        ["cpu"], lambda: places(torch.load(saved(nn.Linear(2, 2).state_dict())))
    ),
    map_location_to_a_missing_gpu=row(
        Refusal(
            r"Attempting to deserialize object on CUDA device 63 but "
            r"torch.cuda.device_count\(\) is \d+. Please use torch.load with map_location"
        ),
        lambda: torch.load(saved(torch.ones(2)), map_location="cuda:63"),
    ),
    a_parameter_comes_back=row(
        "cuda:0", lambda: str(torch.load(saved(nn.Parameter(torch.ones(2, device="cuda")))).device)
    ),
    a_size_mismatch_is_worded_as_ever=row(
        Refusal(
            r"size mismatch for weight: copying a param with shape torch.Size\(\[2, 2\]\) "
            r"from checkpoint, the shape in current model is torch.Size\(\[3, 2\]\)"
        ),
        lambda: nn.Linear(2, 3).cuda().load_state_dict(nn.Linear(2, 2).state_dict()),
    ),
)
