"""Tensors of two devices in one operation: which error, in which words."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.machines.cases.case import Refusal, case

SAME = r"Expected all tensors to be on the same device, but "


def two(first: str, second: str) -> Refusal:
    return Refusal("RuntimeError", rf"{SAME}found at least two devices, {first} and {second}!")


def named(argument: str, given: str, others: str, method: str) -> Refusal:
    return Refusal(
        "RuntimeError",
        rf"{SAME}got {argument} is on {given}, different from other tensors on {others} "
        rf"\(when checking argument in method {method}\)",
    )


def here() -> torch.Tensor:
    return torch.ones(2, 2, device="cuda")


def there() -> torch.Tensor:
    return torch.ones(2, 2)


@case(two("cuda:0", "cpu"))
def add_cuda_and_cpu():
    return here() + there()


@case(two("cuda:0", "cpu"))
def add_cpu_and_cuda_names_the_gpu_first():
    return there() + here()


@case(two("cuda:0", "cuda:1"), gpus=2)
def add_two_gpus():
    return here() + here().to("cuda:1")


@case(two("cuda:0", "cpu"))
def compare():
    return here() == there()


@case(two("cuda:0", "cpu"))
def power():
    return here() ** there()


@case(two("cuda:0", "cpu"))
def in_place():
    x = here()
    x += there()


@case(two("cuda:0", "cpu"))
def in_place_into_the_cpu():
    x = there()
    x.mul_(here())


@case(two("cuda:0", "cpu"))
def maximum():
    return torch.maximum(here(), there())


@case(two("cuda:0", "cpu"))
def where_with_a_cpu_branch():
    return torch.where(here() > 0, here(), there())


@case(two("cuda:0", "cpu"))
def where_with_a_cpu_condition():
    return torch.where(there() > 0, here(), here())


@case(two("cuda:0", "cpu"))
def mean_squared_error():
    return F.mse_loss(here(), there())


@case(two("cuda:0", "cpu"))
def binary_cross_entropy_with_logits():
    return F.binary_cross_entropy_with_logits(here(), there())


@case(named("mat2", "cpu", "cuda:0", "wrapper_CUDA_mm"))
def matmul():
    return here() @ there()


@case(named("mat2", "cuda:0", "cpu", "wrapper_CUDA_mm"))
def matmul_the_other_way():
    return there() @ here()


@case(named("mat2", "cuda:1", "cuda:0", "wrapper_CUDA_mm"), gpus=2)
def matmul_over_two_gpus():
    return here() @ here().to("cuda:1")


@case(named("mat2", "cpu", "cuda:0", "wrapper_CUDA_bmm"))
def batched_matmul():
    return torch.bmm(torch.ones(1, 2, 2, device="cuda"), torch.ones(1, 2, 2))


@case(named("mat1", "cpu", "cuda:0", "wrapper_CUDA_addmm"))
def linear_with_cpu_input():
    return nn.Linear(2, 3).cuda()(there())


@case(named("mat1", "cuda:0", "cpu", "wrapper_CUDA_addmm"))
def linear_left_on_the_cpu():
    return nn.Linear(2, 3)(here())


@case(named("mat2", "cuda:0", "cpu", "wrapper_CUDA_mm"))
def linear_without_bias():
    return nn.Linear(2, 3, bias=False).cuda()(there())


@case(named("index", "cpu", "cuda:0", "wrapper_CUDA__index_select"))
def embedding_with_cpu_indices():
    return nn.Embedding(4, 2).cuda()(torch.tensor([0, 1]))


@case(named("index", "cuda:0", "cpu", "wrapper_CUDA__index_select"))
def embedding_left_on_the_cpu():
    return nn.Embedding(4, 2)(torch.tensor([0, 1], device="cuda"))


@case(named("target", "cpu", "cuda:0", "wrapper_CUDA_nll_loss_forward"))
def cross_entropy_with_cpu_target():
    return F.cross_entropy(here(), torch.tensor([0, 1]))


@case(named("weight", "cpu", "cuda:0", "wrapper_CUDA_nll_loss_forward"))
def cross_entropy_with_class_weights_left_on_the_cpu():
    loss = nn.CrossEntropyLoss(weight=torch.ones(2))
    return loss(here(), torch.tensor([0, 1], device="cuda"))


@case(named("tensors", "cpu", "cuda:0", "wrapper_CUDA_cat"))
def cat():
    return torch.cat([here(), there()])


@case(named("tensors", "cpu", "cuda:0", "wrapper_CUDA_cat"))
def stack():
    return torch.stack([here(), there()])


@case(named("index", "cpu", "cuda:0", "wrapper_CUDA_gather"))
def gather():
    return here().gather(0, torch.zeros(1, 2, dtype=torch.long))


@case(named("index", "cpu", "cuda:0", "wrapper_CUDA__index_select"))
def index_select():
    return here().index_select(0, torch.tensor([0]))


@case(
    Refusal(
        "RuntimeError",
        r"Input type \(torch.cuda.FloatTensor\) and weight type \(torch.FloatTensor\) "
        r"should be the same",
    )
)
def convolution_left_on_the_cpu():
    return nn.Conv2d(1, 1, 3)(torch.ones(1, 1, 4, 4, device="cuda"))


@case(
    Refusal(
        "RuntimeError",
        r"Input type \(torch.FloatTensor\) and weight type \(torch.cuda.FloatTensor\) "
        r"should be the same",
    )
)
def convolution_with_cpu_input():
    return nn.Conv2d(1, 1, 3).cuda()(torch.ones(1, 1, 4, 4))


@case(
    Refusal(
        "RuntimeError", rf"{SAME}.*weight is on cuda:1, different from other tensors on cuda:0"
    ),
    gpus=2,
)
def convolution_over_two_gpus():
    return nn.Conv2d(1, 1, 3).to("cuda:1")(torch.ones(1, 1, 4, 4, device="cuda:0"))


@case(
    Refusal(
        "RuntimeError",
        rf"{SAME}.*got weight is on cpu, different from other tensors on cuda:0.*batch_norm",
    )
)
def batch_norm_left_on_the_cpu():
    return nn.BatchNorm1d(2)(here())


@case(
    Refusal(
        "RuntimeError",
        rf"{SAME}.*got weight is on cpu, different from other tensors on cuda:0.*native_layer_norm",
    )
)
def layer_norm_left_on_the_cpu():
    return nn.LayerNorm(2)(here())


@case(
    Refusal(
        "RuntimeError",
        r"Input and parameter tensors are not at the same device, found input tensor at "
        r"cuda:0 and parameter tensor at cpu",
    )
)
def lstm_left_on_the_cpu():
    return nn.LSTM(2, 3)(torch.ones(4, 1, 2, device="cuda"))


@case(
    Refusal(
        "RuntimeError",
        r"Input and hidden tensors are not at the same device, found input tensor at "
        r"cuda:0 and hidden tensor at cpu",
    )
)
def gru_with_a_hidden_state_on_the_cpu():
    return nn.GRU(2, 3).cuda()(torch.ones(4, 1, 2, device="cuda"), torch.zeros(1, 1, 3))


@case(
    Refusal(
        "RuntimeError",
        r"Expected query, key, and value to have the same device type, but got "
        r"query.device: cuda:0 key.device: cpu and value.device: cpu instead",
    )
)
def attention():
    x, y = torch.ones(1, 2, 2, device="cuda"), torch.ones(1, 2, 2)
    return F.scaled_dot_product_attention(x, y, y)


@case(
    Refusal(
        "RuntimeError",
        r"expected self and mask to be on the same device, but got mask on cpu and self on cuda:0",
    )
)
def masked_fill():
    return here().masked_fill(there() > 0, 0.0)


@case(
    Refusal(
        "RuntimeError",
        r"indices should be either on cpu or on the same device as the indexed tensor",
    )
)
def cpu_tensor_with_a_cuda_index():
    return torch.ones(3)[torch.tensor([0], device="cuda")]


@case(
    Refusal(
        "RuntimeError",
        r"indices should be either on cpu or on the same device as the indexed tensor",
    ),
    gpus=2,
)
def cuda_tensor_with_an_index_of_the_other_gpu():
    return here()[torch.tensor([0], device="cuda:1")]


@case(two("cuda:0", "cpu"))
def assigning_cpu_values_by_index():
    x = here()
    x[torch.tensor([0], device="cuda")] = torch.ones(1, 2)


@case(two("cuda:0", "cpu"))
def in_a_lambda_of_a_module():
    class Shifted(nn.Module):
        def __init__(self):
            super().__init__()
            self.shift = torch.ones(2)

        def forward(self, x):
            return x + self.shift

    return Shifted().cuda()(here())


@case(two("cuda:0", "cpu"))
def einsum_of_an_outer_product():
    return torch.ones(2, device="cuda") * torch.ones(2)


@case(named("tensor", "cpu", "cuda:0", "wrapper_CUDA__dot"))
def dot_product():
    return torch.dot(torch.ones(2, device="cuda"), torch.ones(2))


@case(
    Refusal(
        "RuntimeError",
        r"'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
    )
)
def packing_with_lengths_on_the_gpu():
    return nn.utils.rnn.pack_padded_sequence(
        torch.ones(3, 1, 2, device="cuda"), torch.tensor([3], device="cuda")
    )


@case(two("cuda:0", "cpu"))
def closeness():
    return torch.allclose(here(), there())


@case(named("mat1", "cpu", "cuda:0", "wrapper_CUDA_addmm"))
def linear_in_inference_mode():
    net = nn.Linear(2, 3).cuda()
    with torch.inference_mode():
        return net(there())


@case(Refusal("RuntimeError", SAME))
def attention_with_a_cpu_mask():
    x = torch.ones(1, 1, 2, 2, device="cuda")
    return F.scaled_dot_product_attention(x, x, x, attn_mask=there())


@case(named("mat", "cuda:0", "cpu", "wrapper_CUDA_addmv_"))
def matrix_times_a_cpu_vector():
    return here() @ torch.ones(2)


@case(named("mat", "cpu", "cuda:0", "wrapper_CUDA_addmv_"))
def cpu_matrix_times_a_vector():
    return there().mv(torch.ones(2, device="cuda"))


@case(Refusal("RuntimeError", r"^meshgrid expects all tensors to have the same device"))
def meshgrid():
    return torch.meshgrid(torch.ones(2, device="cuda"), torch.ones(2), indexing="ij")
