import torch
import torch.nn.functional as F
from torch import nn

from tests.machines.cases.case import Refusal, case, row, table

SAME = r"Expected all tensors to be on the same device, but "


def two(first: str, second: str) -> Refusal:
    return Refusal(rf"{SAME}found at least two devices, {first} and {second}!")


def named(argument: str, given: str, others: str, method: str) -> Refusal:
    return Refusal(
        rf"{SAME}got {argument} is on {given}, different from other tensors on {others} "
        rf"\(when checking argument in method {method}\)"
    )


def here() -> torch.Tensor:
    return torch.ones(2, 2, device="cuda")


def there() -> torch.Tensor:
    return torch.ones(2, 2)


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
def binary_cross_entropy_with_logits():
    return F.binary_cross_entropy_with_logits(here(), there())


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
        r"Expected query, key, and value to have the same device type, but got "
        r"query.device: cuda:0 key.device: cpu and value.device: cpu instead"
    )
)
def attention():
    x, y = torch.ones(1, 2, 2, device="cuda"), torch.ones(1, 2, 2)
    return F.scaled_dot_product_attention(x, y, y)


@case(
    Refusal(
        r"expected self and mask to be on the same device, but got mask on cpu and self on cuda:0"
    )
)
def masked_fill():
    return here().masked_fill(there() > 0, 0.0)


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


@case(named("mat1", "cpu", "cuda:0", "wrapper_CUDA_addmm"))
def linear_in_inference_mode():
    net = nn.Linear(2, 3).cuda()
    with torch.inference_mode():
        return net(there())


@case(Refusal(SAME))
def attention_with_a_cpu_mask():
    x = torch.ones(1, 1, 2, 2, device="cuda")
    return F.scaled_dot_product_attention(x, x, x, attn_mask=there())


@case(Refusal(r"^meshgrid expects all tensors to have the same device"))
def meshgrid():
    return torch.meshgrid(torch.ones(2, device="cuda"), torch.ones(2), indexing="ij")


table(
    __name__,
    add_cuda_and_cpu=row(two("cuda:0", "cpu"), lambda: here() + there()),
    add_cpu_and_cuda_names_the_gpu_first=row(two("cuda:0", "cpu"), lambda: there() + here()),
    add_two_gpus=row(two("cuda:0", "cuda:1"), lambda: here() + here().to("cuda:1"), gpus=2),
    compare=row(two("cuda:0", "cpu"), lambda: here() == there()),
    power=row(two("cuda:0", "cpu"), lambda: here() ** there()),
    where_with_a_cpu_branch=row(
        two("cuda:0", "cpu"), lambda: torch.where(here() > 0, here(), there())
    ),
    where_with_a_cpu_condition=row(
        two("cuda:0", "cpu"), lambda: torch.where(there() > 0, here(), here())
    ),
    mean_squared_error=row(two("cuda:0", "cpu"), lambda: F.mse_loss(here(), there())),
    matmul=row(named("mat2", "cpu", "cuda:0", "wrapper_CUDA_mm"), lambda: here() @ there()),
    matmul_the_other_way=row(
        named("mat2", "cuda:0", "cpu", "wrapper_CUDA_mm"), lambda: there() @ here()
    ),
    matmul_over_two_gpus=row(
        named("mat2", "cuda:1", "cuda:0", "wrapper_CUDA_mm"),
        lambda: here() @ here().to("cuda:1"),
        gpus=2,
    ),
    batched_matmul=row(
        named("mat2", "cpu", "cuda:0", "wrapper_CUDA_bmm"),
        lambda: torch.bmm(torch.ones(1, 2, 2, device="cuda"), torch.ones(1, 2, 2)),
    ),
    linear_with_cpu_input=row(
        named("mat1", "cpu", "cuda:0", "wrapper_CUDA_addmm"),
        lambda: nn.Linear(2, 3).cuda()(there()),
    ),
    linear_left_on_the_cpu=row(
        named("mat1", "cuda:0", "cpu", "wrapper_CUDA_addmm"), lambda: nn.Linear(2, 3)(here())
    ),
    linear_without_bias=row(
        named("mat2", "cuda:0", "cpu", "wrapper_CUDA_mm"),
        lambda: nn.Linear(2, 3, bias=False).cuda()(there()),
    ),
    embedding_with_cpu_indices=row(
        named("index", "cpu", "cuda:0", "wrapper_CUDA__index_select"),
        lambda: nn.Embedding(4, 2).cuda()(torch.tensor([0, 1])),
    ),
    embedding_left_on_the_cpu=row(
        named("index", "cuda:0", "cpu", "wrapper_CUDA__index_select"),
        lambda: nn.Embedding(4, 2)(torch.tensor([0, 1], device="cuda")),
    ),
    cross_entropy_with_cpu_target=row(
        named("target", "cpu", "cuda:0", "wrapper_CUDA_nll_loss_forward"),
        lambda: F.cross_entropy(here(), torch.tensor([0, 1])),
    ),
    convolution_left_on_the_cpu=row(
        Refusal(
            r"Input type \(torch.cuda.FloatTensor\) and weight type \(torch.FloatTensor\) "
            r"should be the same"
        ),
        lambda: nn.Conv2d(1, 1, 3)(torch.ones(1, 1, 4, 4, device="cuda")),
    ),
    convolution_with_cpu_input=row(
        Refusal(
            r"Input type \(torch.FloatTensor\) and weight type \(torch.cuda.FloatTensor\) "
            r"should be the same"
        ),
        lambda: nn.Conv2d(1, 1, 3).cuda()(torch.ones(1, 1, 4, 4)),
    ),
    convolution_over_two_gpus=row(
        Refusal(rf"{SAME}.*weight is on cuda:1, different from other tensors on cuda:0"),
        lambda: nn.Conv2d(1, 1, 3).to("cuda:1")(torch.ones(1, 1, 4, 4, device="cuda:0")),
        gpus=2,
    ),
    batch_norm_left_on_the_cpu=row(
        Refusal(
            rf"{SAME}.*got weight is on cpu, different from other tensors on cuda:0.*batch_norm"
        ),
        lambda: nn.BatchNorm1d(2)(here()),
    ),
    layer_norm_left_on_the_cpu=row(
        Refusal(
            rf"{SAME}.*got weight is on cpu, different from other tensors on cuda:0"
            r".*native_layer_norm"
        ),
        lambda: nn.LayerNorm(2)(here()),
    ),
    lstm_left_on_the_cpu=row(
        Refusal(
            r"Input and parameter tensors are not at the same device, found input tensor at "
            r"cuda:0 and parameter tensor at cpu"
        ),
        lambda: nn.LSTM(2, 3)(torch.ones(4, 1, 2, device="cuda")),
    ),
    gru_with_a_hidden_state_on_the_cpu=row(
        Refusal(
            r"Input and hidden tensors are not at the same device, found input tensor at "
            r"cuda:0 and hidden tensor at cpu"
        ),
        lambda: nn.GRU(2, 3).cuda()(torch.ones(4, 1, 2, device="cuda"), torch.zeros(1, 1, 3)),
    ),
    cpu_tensor_with_a_cuda_index=row(
        Refusal(r"indices should be either on cpu or on the same device as the indexed tensor"),
        lambda: torch.ones(3)[torch.tensor([0], device="cuda")],
    ),
    cuda_tensor_with_an_index_of_the_other_gpu=row(
        Refusal(r"indices should be either on cpu or on the same device as the indexed tensor"),
        lambda: here()[torch.tensor([0], device="cuda:1")],
        gpus=2,
    ),
    einsum_of_an_outer_product=row(
        two("cuda:0", "cpu"), lambda: torch.ones(2, device="cuda") * torch.ones(2)
    ),
    dot_product=row(
        named("tensor", "cpu", "cuda:0", "wrapper_CUDA__dot"),
        lambda: torch.dot(torch.ones(2, device="cuda"), torch.ones(2)),
    ),
    packing_with_lengths_on_the_gpu=row(
        Refusal(
            r"'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor"
        ),
        lambda: nn.utils.rnn.pack_padded_sequence(
            torch.ones(3, 1, 2, device="cuda"), torch.tensor([3], device="cuda")
        ),
    ),
    closeness=row(two("cuda:0", "cpu"), lambda: torch.allclose(here(), there())),
    matrix_times_a_cpu_vector=row(
        named("mat", "cuda:0", "cpu", "wrapper_CUDA_addmv_"), lambda: here() @ torch.ones(2)
    ),
    cpu_matrix_times_a_vector=row(
        named("mat", "cpu", "cuda:0", "wrapper_CUDA_addmv_"),
        lambda: there().mv(torch.ones(2, device="cuda")),
    ),
)
