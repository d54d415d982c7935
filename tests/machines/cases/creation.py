import warnings

import torch
from torch import nn

from tests.machines.cases.case import ORDINAL, Refusal, case, devices, placed, row, table, typed


@case([False, True, None, 0])
def cuda_and_cuda_0_differ_as_objects():
    bare, indexed = torch.device("cuda"), torch.device("cuda:0")
    is_there = torch.ones(1, device=bare).device == indexed
    return [bare == indexed, is_there, bare.index, indexed.index]


@case(["cuda:0"] * 5)
def every_way_to_name_a_device():
    return devices(
        torch.ones(2, device="cuda"),
        torch.zeros(2, 3, device="cuda:0"),
        torch.empty(2, device=torch.device("cuda")),
        torch.ones(2, device=0),
        torch.tensor([1.0], device=torch.ones(1, device="cuda").device),
    )


@case([["cuda:0"] * 10, [[1.0, 2.0], [0, 1, 2], [0.0, 0.5, 1.0], [[1.0, 0.0], [0.0, 1.0]]]])
def factories():
    made = [
        torch.tensor([1.0, 2.0], device="cuda"),
        torch.arange(3, device="cuda"),
        torch.linspace(0, 1, 3, device="cuda"),
        torch.eye(2, device="cuda"),
    ]
    others = [
        torch.rand(2, device="cuda"),
        torch.randn(2, device="cuda"),
        torch.randint(0, 9, (2,), device="cuda"),
        torch.randperm(4, device="cuda"),
        torch.empty_strided((2,), (1,), device="cuda"),
        torch.scalar_tensor(1.0, device="cuda"),
    ]
    return [devices(*made, *others), made]


@case(["cuda:0", "torch.float64"] * 9)
def like_and_new_keep_device_and_dtype():
    x = torch.ones(2, dtype=torch.float64, device="cuda")
    like = [torch.zeros_like(x), torch.ones_like(x), torch.full_like(x, 3), torch.rand_like(x)]
    new = [x.new_zeros(3), x.new_ones(3), x.new_full((3,), 2), x.new_empty(3), x.new_tensor([1])]
    return typed(*like, *new)


@case(["cuda:0", "cpu", True])
def as_tensor_moves_a_tensor_that_is_not_there_yet():
    x = torch.as_tensor(torch.ones(2), device="cuda")
    return [*devices(x, torch.as_tensor(x, device="cpu")), torch.as_tensor(x, device="cuda") is x]


@case([True, True, True, False, 0, -1])
def attributes_of_a_new_tensor():
    x, y = torch.ones(2, device="cuda", requires_grad=True), torch.ones(2)
    return [x.requires_grad, x.is_leaf, x.is_cuda, x.is_cpu, x.get_device(), y.get_device()]


@case(["cpu", "cpu", "cpu", "cuda:0"])
def a_factory_reads_a_cuda_scalar_and_stays_on_the_cpu():
    three = torch.tensor(3.0, device="cuda")
    return devices(
        torch.full((2,), three),
        torch.arange(three),
        torch.linspace(three, three + 1, 3),
        torch.full((2,), three, device="cuda"),
    )


@case(["cuda:0", [0.0, 1.0, 2.0]])
def the_retired_range():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return placed(torch.range(0, 2, device="cuda"))


table(
    __name__,
    device_objects_of_a_number_and_of_a_missing_gpu=row(
        ["cuda", 0, "cuda", 99],
        lambda: [x for d in (torch.device(0), torch.device("cuda:99")) for x in (d.type, d.index)],
    ),
    the_second_gpu=row(
        ["cuda:1", "cuda:1"],
        lambda: devices(
            torch.full((2,), 7.0, device="cuda:1"),
            torch.zeros_like(torch.ones(2, device="cuda:0"), device="cuda:1"),
        ),
        gpus=2,
    ),
    creating_on_a_missing_gpu=row(ORDINAL, lambda: torch.ones(2, device="cuda:63")),
    malformed_string=row(
        Refusal(r"Invalid device string: 'cuda:01'"), lambda: torch.ones(2, device="cuda:01")
    ),
    unknown_device_type=row(
        Refusal(r"Expected one of cpu, cuda.* device type at start of device string"),
        lambda: torch.ones(2, device="gpu"),
    ),
    like_and_new_obey_an_explicit_device=row(
        ["cpu", "cuda:0"],
        lambda: devices(
            torch.ones_like(torch.ones(2, device="cuda"), device="cpu"),
            torch.ones(2).new_zeros(2, device="cuda"),
        ),
    ),
    module_built_on_a_device_with_a_dtype=row(
        ["cuda:0", "torch.float64"],
        lambda: typed(nn.Linear(2, 3, device="cuda", dtype=torch.float64).weight),
    ),
    type_names_the_device=row(
        ["torch.cuda.FloatTensor", "torch.cuda.LongTensor", "torch.FloatTensor"],
        lambda: [
            torch.tensor([1.0], device="cuda").type(),
            torch.arange(2, device="cuda").type(),
            torch.ones(2).type(),
        ],
    ),
    pinned_memory_at_creation=row(
        [True, True, False],
        lambda: [
            torch.ones(2, pin_memory=True).is_pinned(),
            torch.empty(2, pin_memory=True).is_pinned(),
            torch.ones(2).is_pinned(),
        ],
    ),
    pinned_memory_at_creation_on_the_gpu=row(
        Refusal(r"Only dense CPU tensors can be pinned"),
        lambda: torch.ones(2, device="cuda", pin_memory=True),
    ),
    a_size_beyond_all_memory=row(
        Refusal(r"Storage size calculation overflowed with sizes=\[4611686018427"),
        lambda: torch.empty(2**62, device="cuda").device,
    ),
)
