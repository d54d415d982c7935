import io

import torch
from torch import nn

from tests.machines.cases.case import Refusal, case, devices, placed, row, table


def loaded(thing, map_location=None):
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return torch.load(file, map_location=map_location)


@case(["cuda:0"] * 2 + ["cpu"] * 2)
def a_tensor_comes_back_to_its_device():
    x = torch.ones(2, device="cuda")
    return devices(*map(loaded, (x, nn.Parameter(x), x.cpu(), nn.Parameter(x.cpu()))))


@case(["cuda:1"] * 3, gpus=2)
def files_and_the_second_gpu():
    x = torch.ones(2, device="cuda:0")
    moved = [loaded(x, "cuda:1"), loaded(x, {"cuda:0": "cuda:1"})]
    return devices(loaded(torch.ones(2, device="cuda:1")), *moved)


@case(["cpu", [0.0, 1.0, 2.0], "cuda:0", "cuda:0"])
def map_location_names_a_device():
    x = torch.arange(3.0)
    moved = [loaded(x, "cuda"), loaded(x, torch.device("cuda:0"))]
    return [*placed(loaded(x.cuda(), "cpu")), *devices(*moved)]


@case(["cpu", "cuda:0", "cpu"])
def map_location_is_a_function():
    x = torch.ones(2)
    return devices(
        loaded(x.cuda(), lambda storage, _: storage.cpu() if storage.is_cuda else storage),
        loaded(x, lambda storage, _: storage.cuda(0)),
        loaded(x.cuda(), lambda storage, _: storage),
    )


@case(["cuda:0", "cuda:0", "cpu", "cpu", "cpu", "cpu"])
def a_state_dict_with_and_without_map_location():
    net = nn.Linear(2, 2).cuda()
    kept, moved = loaded(net.state_dict()), loaded(net.state_dict(), "cpu")
    stayed = loaded(net.cpu().state_dict())
    return devices(*kept.values(), *moved.values(), *stayed.values())


@case(["cuda:0", "<All keys matched successfully>", True])
def load_state_dict_copies_across_devices():
    source, net = nn.Linear(2, 2), nn.Linear(2, 2).cuda()
    message = net.load_state_dict(source.state_dict())
    return [net.weight.device, str(message), torch.equal(net.weight.cpu(), source.weight)]


@case("cpu")
def load_state_dict_with_assign_takes_the_tensors_over():
    net = nn.Linear(2, 2).cuda()
    net.load_state_dict(nn.Linear(2, 2).state_dict(), assign=True)
    return net.weight.device


@case([True, [9.0, 1.0]])
def two_views_saved_together_still_share():
    x = torch.ones(2, device="cuda")
    first, second = loaded([x, x.view(2)])
    first[0] = 9
    return [first.data_ptr() == second.data_ptr(), second]


@case(["cuda:0", "cpu"])
def an_optimizer_state_comes_back():
    net = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 2, device="cuda")).sum().backward()
    optimizer.step()
    state = loaded(optimizer.state_dict())["state"][0]
    return devices(state["exp_avg"], state["step"])


@case(["cuda:0", "cpu", [1.0, 1.0]])
def storages_move():
    storage = torch.ones(2).untyped_storage().cuda()
    back = storage.cpu()
    return [storage.device, back.device, torch.tensor([]).set_(back)]


table(
    __name__,
    map_location_to_a_missing_gpu=row(
        Refusal(
            r"Attempting to deserialize object on CUDA device 63 but "
            r"torch.cuda.device_count\(\) is \d+. Please use torch.load with map_location"
        ),
        lambda: loaded(torch.ones(2), "cuda:63"),
    ),
    a_size_mismatch_is_worded_as_ever=row(
        Refusal(
            r"size mismatch for weight: copying a param with shape torch.Size\(\[2, 2\]\) "
            r"from checkpoint, the shape in current model is torch.Size\(\[3, 2\]\)"
        ),
        lambda: nn.Linear(2, 3).cuda().load_state_dict(nn.Linear(2, 2).state_dict()),
    ),
)
