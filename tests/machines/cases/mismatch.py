import torch
import torch.nn.functional as F
from torch import nn

from tests.machines.cases.case import Refusal, case, row, table

SAME = r"Expected all tensors to be on the same device, but "


def two(first: str, second: str) -> Refusal:
    return Refusal(rf"{SAME}found at least two devices, {first} and {second}!")


def named(argument: str, method: str, given: str = "cpu", others: str = "cuda:0") -> Refusal:
    return Refusal(
        rf"{SAME}got {argument} is on {given}, different from other tensors on {others} "
        rf"\(when checking argument in method wrapper_CUDA_{method}\)"
    )


def weight_of(kernel: str, given: str = "cpu") -> Refusal:
    pattern = rf"got weight is on {given}, different from other tensors on cuda:0.*{kernel}"
    return Refusal(SAME + pattern)


def convolved(given: str, weight: str) -> Refusal:
    return Refusal(
        rf"Input type \(torch.{given}\) and weight type \(torch.{weight}\) should be the same"
    )


def recurrent(given: str, name: str, other: str) -> Refusal:
    return Refusal(
        rf"Input and {name} tensors are not at the same device, found input tensor at {given} "
        rf"and {name} tensor at {other}"
    )


def masked(mask: str, filled: str) -> Refusal:
    return Refusal(
        r"expected self and mask to be on the same device, but got mask on "
        rf"{mask} and self on {filled}"
    )


BOTH = two("cuda:0", "cpu")
INDICES = r"indices should be either on cpu or on the same device as the indexed tensor"


def here(device: str = "cuda") -> torch.Tensor:
    return torch.ones(2, 2, device=device)


def there() -> torch.Tensor:
    return torch.ones(2, 2)


def labels(device: str = "cpu") -> torch.Tensor:
    return torch.tensor([0, 1], device=device)


def sequence(device: str = "cuda") -> torch.Tensor:
    return torch.ones(4, 1, 2, device=device)


@case(BOTH)
def assigning_cpu_values_by_index():
    x = here()
    x[torch.tensor([0], device="cuda")] = torch.ones(1, 2)


@case(named("mat1", "addmm"))
def linear_in_inference_mode():
    net = nn.Linear(2, 3).cuda()
    with torch.inference_mode():
        return net(there())


@case(Refusal(SAME))
def attention_with_a_cpu_mask():
    x = here()[None, None]
    return F.scaled_dot_product_attention(x, x, x, attn_mask=there())


table(
    __name__,
    add_cuda_and_cpu=row(BOTH, lambda: here() + there()),
    add_cpu_and_cuda_names_the_gpu_first=row(BOTH, lambda: there() + here()),
    add_two_gpus=row(two("cuda:0", "cuda:1"), lambda: here() + here("cuda:1"), gpus=2),
    in_place=row(BOTH, lambda: here().__iadd__(there())),
    in_place_into_the_cpu=row(BOTH, lambda: there().mul_(here())),
    compare=row(BOTH, lambda: here() == there()),
    power=row(BOTH, lambda: here() ** there()),
    maximum=row(BOTH, lambda: torch.maximum(here(), there())),
    closeness=row(BOTH, lambda: torch.allclose(here(), there())),
    where_with_a_cpu_branch=row(BOTH, lambda: torch.where(here() > 0, here(), there())),
    where_with_a_cpu_condition=row(BOTH, lambda: torch.where(there() > 0, here(), here())),
    mean_squared_error=row(BOTH, lambda: F.mse_loss(here(), there())),
    binary_cross_entropy_with_logits=row(
        BOTH, lambda: F.binary_cross_entropy_with_logits(here(), there())
    ),
    matmul=row(named("mat2", "mm"), lambda: here() @ there()),
    matmul_the_other_way=row(named("mat2", "mm", "cuda:0", "cpu"), lambda: there() @ here()),
    matmul_over_two_gpus=row(
        named("mat2", "mm", "cuda:1"), lambda: here() @ here("cuda:1"), gpus=2
    ),
    batched_matmul=row(named("mat2", "bmm"), lambda: torch.bmm(here()[None], there()[None])),
    dot_product=row(named("tensor", "_dot"), lambda: torch.dot(here()[0], there()[0])),
    matrix_times_a_cpu_vector=row(
        named("mat", "addmv_", "cuda:0", "cpu"), lambda: here() @ torch.ones(2)
    ),
    cpu_matrix_times_a_vector=row(named("mat", "addmv_"), lambda: there().mv(here()[0])),
    linear_with_cpu_input=row(named("mat1", "addmm"), lambda: nn.Linear(2, 3).cuda()(there())),
    linear_left_on_the_cpu=row(
        named("mat1", "addmm", "cuda:0", "cpu"), lambda: nn.Linear(2, 3)(here())
    ),
    linear_without_bias=row(
        named("mat2", "mm", "cuda:0", "cpu"), lambda: nn.Linear(2, 3, bias=False).cuda()(there())
    ),
    embedding_with_cpu_indices=row(
        named("index", "_index_select"), lambda: nn.Embedding(4, 2).cuda()(labels())
    ),
    embedding_left_on_the_cpu=row(
        named("index", "_index_select", "cuda:0", "cpu"), lambda: nn.Embedding(4, 2)(labels("cuda"))
    ),
    cross_entropy_with_cpu_target=row(
        named("target", "nll_loss_forward"), lambda: F.cross_entropy(here(), labels())
    ),
    cross_entropy_with_a_target_on_the_other_gpu=row(
        named("target", "nll_loss_forward", "cuda:1"),
        lambda: F.cross_entropy(here(), labels("cuda:1")),
        gpus=2,
    ),
    cross_entropy_with_class_weights_left_on_the_cpu=row(
        named("weight", "nll_loss_forward"),
        lambda: nn.CrossEntropyLoss(weight=torch.ones(2))(here(), labels("cuda")),
    ),
    cat=row(named("tensors", "cat"), lambda: torch.cat([here(), there()])),
    stack=row(named("tensors", "cat"), lambda: torch.stack([here(), there()])),
    gather=row(named("index", "gather"), lambda: here().gather(0, labels()[None])),
    scatter_a_number_by_an_index_of_the_other_gpu=row(
        named("index", "scatter__value", "cuda:1"),
        lambda: here().scatter_(1, labels("cuda:1")[None], 1.0),
        gpus=2,
    ),
    index_select=row(named("index", "_index_select"), lambda: here().index_select(0, labels())),
    masked_fill=row(masked("cpu", "cuda:0"), lambda: here().masked_fill(there() > 0, 0.0)),
    masked_fill_over_two_gpus=row(
        masked("cuda:0", "cuda:1"), lambda: here("cuda:1").masked_fill_(here() > 0, 0.0), gpus=2
    ),
    attention=row(
        Refusal(
            r"Expected query, key, and value to have the same device type, but got "
            r"query.device: cuda:0 key.device: cpu and value.device: cpu instead"
        ),
        lambda: F.scaled_dot_product_attention(here()[None], there()[None], there()[None]),
    ),
    meshgrid=row(
        Refusal(r"^meshgrid expects all tensors to have the same device"),
        lambda: torch.meshgrid(here()[0], there()[0], indexing="ij"),
    ),
    convolution_left_on_the_cpu=row(
        convolved("cuda.FloatTensor", "FloatTensor"), lambda: nn.Conv2d(1, 1, 1)(here()[None, None])
    ),
    convolution_with_cpu_input=row(
        convolved("FloatTensor", "cuda.FloatTensor"),
        lambda: nn.Conv2d(1, 1, 1).cuda()(there()[None, None]),
    ),
    convolution_over_two_gpus=row(
        weight_of("", "cuda:1"), lambda: nn.Conv2d(1, 1, 1).to("cuda:1")(here()[None, None]), gpus=2
    ),
    batch_norm_left_on_the_cpu=row(weight_of("batch_norm"), lambda: nn.BatchNorm1d(2)(here())),
    layer_norm_left_on_the_cpu=row(weight_of("native_layer_norm"), lambda: nn.LayerNorm(2)(here())),
    lstm_left_on_the_cpu=row(
        recurrent("cuda:0", "parameter", "cpu"), lambda: nn.LSTM(2, 3)(sequence())
    ),
    lstm_with_cpu_input=row(
        recurrent("cpu", "parameter", "cuda:0"), lambda: nn.LSTM(2, 3).cuda()(sequence("cpu"))
    ),
    lstm_with_a_hidden_state_on_the_cpu=row(
        recurrent("cuda:0", "hidden", "cpu"),
        lambda: nn.LSTM(2, 3).cuda()(sequence(), (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))),
    ),
    gru_with_a_hidden_state_on_the_cpu=row(
        recurrent("cuda:0", "hidden", "cpu"),
        lambda: nn.GRU(2, 3).cuda()(sequence(), torch.zeros(1, 1, 3)),
    ),
    packing_with_lengths_on_the_gpu=row(
        Refusal(
            r"'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor"
        ),
        lambda: nn.utils.rnn.pack_padded_sequence(sequence(), torch.tensor([4], device="cuda")),
    ),
    cpu_tensor_with_a_cuda_index=row(
        Refusal(rf"{INDICES} \(cpu\)"), lambda: there()[labels("cuda")]
    ),
    cuda_tensor_with_an_index_of_the_other_gpu=row(
        Refusal(INDICES), lambda: here()[labels("cuda:1")], gpus=2
    ),
)
