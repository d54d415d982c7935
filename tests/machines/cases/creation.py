import warnings

import torch
from torch import nn

from tests.machines.cases.case import Refusal, case, row, table

ORDINAL = Refusal(r"CUDA error: invalid device ordinal", "AcceleratorError")


@case(["cuda", 0])
def device_of_a_number_is_the_accelerator():
    device = torch.device(0)
    return [device.type, device.index]


@case([False, True, None, 0])
def cuda_and_cuda_0_differ_as_objects():
    bare, indexed = torch.device("cuda"), torch.device("cuda:0")
    return [
        bare == indexed,
        torch.ones(1, device=bare).device == indexed,
        bare.index,
        indexed.index,
    ]


@case(["cuda", 99])
def device_object_of_a_missing_gpu_can_be_made():
    device = torch.device("cuda:99")
    return [device.type, device.index]


@case([[1.0, 2.0], "cuda:0", "torch.float32"])
def tensor_from_a_list():
    x = torch.tensor([1.0, 2.0], device="cuda")
    return [x.tolist(), str(x.device), str(x.dtype)]


@case([[0, 1, 2], "cuda:0"])
def arange():
    x = torch.arange(3, device="cuda")
    return [x.tolist(), str(x.device)]


@case([[0.0, 0.5, 1.0], "cuda:0"])
def linspace():
    x = torch.linspace(0, 1, 3, device="cuda")
    return [x.tolist(), str(x.device)]


@case([[[1.0, 0.0], [0.0, 1.0]], "cuda:0"])
def eye():
    x = torch.eye(2, device="cuda")
    return [x.tolist(), str(x.device)]


@case(["cuda:0"] * 6)
def random_factories():
    made = [
        torch.rand(2, device="cuda"),
        torch.randn(2, device="cuda"),
        torch.randint(0, 9, (2,), device="cuda"),
        torch.randperm(4, device="cuda"),
        torch.empty_strided((2,), (1,), device="cuda"),
        torch.scalar_tensor(1.0, device="cuda"),
    ]
    return [str(x.device) for x in made]


@case(["cuda:0", "torch.float64"] * 4)
def like_functions_keep_device_and_dtype():
    x = torch.ones(2, dtype=torch.float64, device="cuda")
    made = [torch.zeros_like(x), torch.ones_like(x), torch.full_like(x, 3), torch.rand_like(x)]
    return [text for y in made for text in (str(y.device), str(y.dtype))]


@case(["cuda:0", "torch.float64"] * 5)
def new_methods_keep_device_and_dtype():
    x = torch.ones(2, dtype=torch.float64, device="cuda")
    made = [x.new_zeros(3), x.new_ones(3), x.new_full((3,), 2), x.new_empty(3), x.new_tensor([1])]
    return [text for y in made for text in (str(y.device), str(y.dtype))]


@case(["cpu", "cuda:0"])
def like_and_new_obey_an_explicit_device():
    x = torch.ones(2, device="cuda")
    return [
        str(torch.ones_like(x, device="cpu").device),
        str(torch.ones(2).new_zeros(2, device="cuda").device),
    ]


@case(["cuda:0", "cpu"])
def as_tensor_moves_a_tensor():
    x = torch.as_tensor(torch.ones(2), device="cuda")
    return [str(x.device), str(torch.as_tensor(x, device="cpu").device)]


@case(True)
def as_tensor_of_a_tensor_already_there_is_the_same_object():
    x = torch.ones(2, device="cuda")
    return torch.as_tensor(x, device="cuda") is x


@case([True, "cuda:0", True])
def requires_grad_at_creation_makes_a_leaf():
    x = torch.ones(2, device="cuda", requires_grad=True)
    return [x.requires_grad, str(x.device), x.is_leaf]


@case([True, False, 0, -1])
def is_cuda_is_cpu_and_get_device():
    x, y = torch.ones(2, device="cuda"), torch.ones(2)
    return [x.is_cuda, x.is_cpu, x.get_device(), y.get_device()]


@case(["cuda:0", "torch.float64"])
def module_built_on_a_device_with_a_dtype():
    weight = nn.Linear(2, 3, device="cuda", dtype=torch.float64).weight
    return [str(weight.device), str(weight.dtype)]


@case(["cpu", "cpu", "cpu", "cuda:0"])
def a_factory_reads_a_cuda_scalar_and_stays_on_the_cpu():
    three = torch.tensor(3.0, device="cuda")
    made = [
        torch.full((2,), three),
        torch.arange(three),
        torch.linspace(three, three + 1, 3),
        torch.full((2,), three, device="cuda"),
    ]
    return [str(x.device) for x in made]


@case([True, True, False])
def pinned_memory_at_creation():
    made = [torch.ones(2, pin_memory=True), torch.empty(2, pin_memory=True), torch.ones(2)]
    return [x.is_pinned() for x in made]


@case([[0.0, 1.0, 2.0], "cuda:0"])
def the_retired_range():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.range(0, 2, device="cuda")
    return [x.tolist(), str(x.device)]


table(
    __name__,
    device_without_index_gets_one=row("cuda:0", lambda: str(torch.ones(2, device="cuda").device)),
    string_with_index=row("cuda:0", lambda: str(torch.zeros(2, 3, device="cuda:0").device)),
    second_device=row("cuda:1", lambda: str(torch.full((2,), 7.0, device="cuda:1").device), gpus=2),
    device_object=row("cuda:0", lambda: str(torch.empty(2, device=torch.device("cuda")).device)),
    plain_number=row("cuda:0", lambda: str(torch.ones(2, device=0).device)),
    creating_on_a_missing_gpu=row(ORDINAL, lambda: torch.ones(2, device="cuda:63")),
    malformed_string=row(
        Refusal(r"Invalid device string: 'cuda:01'"), lambda: torch.ones(2, device="cuda:01")
    ),
    unknown_device_type=row(
        Refusal(r"Expected one of cpu, cuda.* device type at start of device string"),
        lambda: torch.ones(2, device="gpu"),
    ),
    like_with_the_other_gpu=row(
        "cuda:1",
        lambda: str(torch.zeros_like(torch.ones(2, device="cuda:0"), device="cuda:1").device),
        gpus=2,
    ),
    a_plain_factory_stays_on_the_cpu=row("cpu", lambda: str(torch.ones(2).device)),
    tensor_of_a_cuda_scalar_list_is_on_the_cpu_unless_told=row(
        "cuda:0",
        lambda: str(torch.tensor([1.0], device=torch.ones(1, device="cuda").device).device),
    ),
    parameter_made_from_a_cuda_tensor=row(
        "cuda:0", lambda: str(nn.Parameter(torch.ones(2, device="cuda")).device)
    ),
    type_names_the_device=row(
        ["torch.cuda.FloatTensor", "torch.cuda.LongTensor", "torch.FloatTensor"],
        lambda: [
            torch.ones(2, device="cuda").type(),
            torch.arange(2, device="cuda").type(),
            torch.ones(2).type(),
        ],
    ),
    pinned_memory_at_creation_on_the_gpu=row(
        Refusal(r"Only dense CPU tensors can be pinned"),
        lambda: torch.ones(2, device="cuda", pin_memory=True),
    ),
    a_size_beyond_all_memory=row(
        Refusal(r"Storage size calculation overflowed with sizes=\[4611686018427"),
        lambda: torch.empty(2**62, device="cuda"),
    ),
)
