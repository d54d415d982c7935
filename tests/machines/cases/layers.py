"""Layers, losses and whole modules: the values of the CPU, on the device."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.machines.cases.case import Refusal, as_on_cpu, case, devices, row, row_as_on_cpu, table


def filled(net, device):
    for parameter in net.parameters():
        nn.init.constant_(parameter, 0.1)
    return net.to(device)


def run(net, device, *given):
    torch.manual_seed(1)
    filled(net, device)
    out = net(*(x.to(device) for x in given))
    out = out[0] if isinstance(out, tuple) else out
    assert out.device.type == torch.device(device).type
    out.sum().backward()
    gradient = next(net.parameters()).grad
    assert gradient.device == out.device
    return [out.flatten()[:4], gradient.flatten()[:4]]


def layer(make, *given):
    return row_as_on_cpu(lambda device: run(make(), device, *given))


IMAGE = torch.linspace(-1, 1, 50).reshape(2, 1, 5, 5)
ROWS = torch.linspace(-1, 1, 12).reshape(4, 3)
SEQUENCE = torch.linspace(-1, 1, 24).reshape(4, 2, 3)


@as_on_cpu
def packed_sequence(device):
    packed = nn.utils.rnn.pack_padded_sequence(SEQUENCE.to(device), torch.tensor([4, 2]))
    out, lengths = nn.utils.rnn.pad_packed_sequence(filled(nn.LSTM(3, 4), device)(packed)[0])
    return [out.flatten()[:4], lengths, packed.batch_sizes, lengths.device]


@as_on_cpu
def multi_head_attention(device):
    attention = filled(nn.MultiheadAttention(4, 2, dropout=0.0), device)
    x = torch.linspace(-1, 1, 24).reshape(3, 2, 4).to(device)
    out, weights = attention(x, x, x)
    return [out.flatten()[:4], weights.flatten()[:4]]


@as_on_cpu
def scaled_dot_product_attention(device):
    x = torch.linspace(-1, 1, 24).reshape(1, 2, 3, 4).to(device)
    mask = torch.ones(3, 3, device=device).tril() > 0
    masked = F.scaled_dot_product_attention(x, x, x, attn_mask=mask)
    causal = F.scaled_dot_product_attention(x, x, x, is_causal=True)
    return [masked.flatten()[:4], causal.flatten()[:4]]


@as_on_cpu
def losses(device):
    x, y = ROWS.to(device), (ROWS * 0.5).to(device)
    target = torch.tensor([0, 2, 1, 0], device=device)
    weights = torch.tensor([1.0, 2.0, 3.0])
    return [
        F.mse_loss(x, y),
        F.l1_loss(x, y),
        F.smooth_l1_loss(x, y),
        F.huber_loss(x, y),
        F.cross_entropy(x, target),
        F.cross_entropy(x, target, weight=weights.to(device), label_smoothing=0.1),
        nn.CrossEntropyLoss(weight=weights).to(device)(x, target),
        F.nll_loss(F.log_softmax(x, 1), target),
        F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y)),
        F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)),
        F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1), reduction="batchmean"),
        F.cosine_embedding_loss(x, y, torch.ones(4, device=device)),
    ]


@as_on_cpu
def activations(device):
    functions = (F.relu, F.gelu, torch.tanh, F.leaky_relu, F.silu, F.elu, nn.Softmax(-1))
    return [function(ROWS.to(device)) for function in functions]


@as_on_cpu
def pooling_and_padding(device):
    x = IMAGE.to(device)
    found = [
        F.avg_pool2d(x, 2),
        F.adaptive_avg_pool2d(x, 1),
        F.pad(x, (1, 1)),
        F.interpolate(x, scale_factor=1.7, mode="area"),
    ]
    return [[y.shape, y.flatten()[:3]] for y in found]


@as_on_cpu
def one_hot_and_argmax(device):
    x = torch.tensor([0, 2], device=device)
    return [F.one_hot(x, 3), ROWS.to(device).argmax(1)]


@as_on_cpu
def functional_call(device):
    net = nn.Linear(3, 1).to(device)
    values = {"weight": torch.ones(1, 3, device=device), "bias": torch.zeros(1, device=device)}
    return torch.func.functional_call(net, values, (ROWS.to(device),))


@case(["cpu", "cuda:0", "cuda:0", "cuda:0"])
def a_lazy_layer_materialises_on_the_device_to_which_it_moved():
    net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))
    before = net[0].weight.device
    out = net.cuda()(torch.ones(2, 3, device="cuda"))
    return [before, *devices(net[0].weight, net[2].bias, out)]


@case(["cuda:0", [4, 3]])
def lazy_convolution_and_norm():
    net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d()).cuda()
    net(torch.ones(2, 3, 5, 5, device="cuda"))
    return [net[1].weight.device, net[0].weight.shape[:2]]


@as_on_cpu
def inference_mode(device):
    net = filled(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)), device)
    with torch.inference_mode():
        out = net(ROWS.to(device))
    assert out.device.type == torch.device(device).type
    return [out, out.is_inference(), out.requires_grad]


@case(["cuda:0", "cpu", [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]], [3, 2]])
def padding_a_packed_sequence():
    packed = nn.utils.rnn.pack_sequence(
        [torch.ones(3, device="cuda"), torch.ones(2, device="cuda")]
    )
    padded, lengths = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    return [*devices(padded, lengths), padded, lengths]


@as_on_cpu
def connectionist_temporal_classification(device):
    scores = torch.linspace(-1, 1, 15).reshape(5, 1, 3).to(device).requires_grad_()
    targets = torch.tensor([[1, 2]], device=device)
    loss = nn.CTCLoss()(scores.log_softmax(2), targets, torch.tensor([5]), torch.tensor([2]))
    loss.backward()
    return [loss, scores.grad]


table(
    __name__,
    perceptron=layer(lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), ROWS),
    convolution=layer(
        lambda: nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)), IMAGE
    ),
    transposed_convolution=layer(lambda: nn.ConvTranspose2d(1, 2, 3), IMAGE),
    batch_norm=layer(lambda: nn.BatchNorm1d(3), ROWS),
    batch_norm_in_evaluation=layer(lambda: nn.BatchNorm2d(1).eval(), IMAGE),
    layer_norm=layer(lambda: nn.LayerNorm(3), ROWS),
    group_norm=layer(lambda: nn.GroupNorm(1, 1), IMAGE),
    embedding=layer(lambda: nn.Embedding(5, 3), torch.tensor([[0, 4], [2, 2]])),
    embedding_bag=layer(lambda: nn.EmbeddingBag(5, 3), torch.tensor([[0, 4], [2, 2]])),
    lstm=layer(lambda: nn.LSTM(3, 4), SEQUENCE),
    gru_with_two_layers=layer(lambda: nn.GRU(3, 4, num_layers=2, batch_first=True), SEQUENCE),
    plain_rnn=layer(lambda: nn.RNN(3, 4), SEQUENCE),
    transformer_encoder_layer=layer(
        lambda: nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, dropout=0.0),
        torch.linspace(-1, 1, 24).reshape(3, 2, 4),
    ),
    weight_norm=layer(lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)), ROWS),
    dropout_in_evaluation=row_as_on_cpu(lambda device: nn.Dropout(0.5).eval()(ROWS.to(device))),
    a_lazy_layer_left_on_the_cpu=row(
        Refusal(r"Expected all tensors to be on the same device"),
        lambda: nn.LazyLinear(4)(torch.ones(2, 3, device="cuda")),
    ),
    an_uninitialised_parameter_still_refuses=row(
        Refusal(r"Attempted to use an uninitialized parameter", "ValueError"),
        lambda: nn.LazyLinear(4).cuda().weight.numel(),
    ),
    to_empty_brings_a_meta_module_to_the_device=row(
        "cuda:0", lambda: nn.Linear(2, 2, device="meta").to_empty(device="cuda").weight.device
    ),
    a_meta_module_has_no_data_to_move=row(
        Refusal(r"Cannot copy out of meta tensor; no data!", "NotImplementedError"),
        lambda: nn.Linear(2, 2, device="meta").cuda(),
    ),
)
