"""Small networks of torch's own layers, one idea each."""

from collections import OrderedDict

import torch
from torch import nn

from tests.modules.trace_case import in_zoo


@in_zoo
def linear():
    return nn.Linear(3, 4), torch.rand(2, 3)


@in_zoo
def linear_without_bias():
    return nn.Linear(3, 4, bias=False), torch.rand(5, 3)


@in_zoo
def mlp():
    return nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10)), torch.rand(2, 20)


@in_zoo
def mlp_with_dropout():
    layers = nn.Linear(8, 16), nn.Tanh(), nn.Dropout(0.5), nn.Linear(16, 4), nn.Softmax(dim=1)
    return nn.Sequential(*layers), torch.rand(3, 8)


@in_zoo
def named_layers():
    layers = OrderedDict(hidden=nn.Linear(4, 8), act=nn.GELU(), out=nn.Linear(8, 1))
    return nn.Sequential(layers), torch.rand(6, 4)


@in_zoo
def nested_blocks():
    def block():
        return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())

    blocks = nn.Sequential(*(block() for _ in range(4)))
    return nn.Sequential(blocks, nn.Linear(4, 1)), torch.rand(2, 4)


@in_zoo
def deep_mlp():
    layers = [layer for _ in range(50) for layer in (nn.Linear(6, 6), nn.ReLU())]
    return nn.Sequential(*layers), torch.rand(2, 6)


@in_zoo
def one_frozen_layer():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    net[0].requires_grad_(False)
    return net, torch.rand(1, 4)


@in_zoo
def one_frozen_bias():
    net = nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 2))
    net[1].bias.requires_grad_(False)
    return net, torch.rand(1, 4)


@in_zoo
def no_parameters():
    return nn.Sequential(nn.ReLU(), nn.Flatten(), nn.Sigmoid()), torch.rand(2, 3, 4)


@in_zoo
def identity():
    return nn.Identity(), torch.rand(2, 3)


@in_zoo
def empty_sequential():
    return nn.Sequential(), torch.rand(2, 3)


@in_zoo
def convolution_1d():
    return nn.Conv1d(3, 8, 5, stride=2, padding=1), torch.rand(2, 3, 20)


@in_zoo
def convolution_2d():
    return nn.Conv2d(3, 8, (3, 5), padding=(1, 0)), torch.rand(2, 3, 9, 9)


@in_zoo
def convolution_3d():
    return nn.Conv3d(2, 4, 3), torch.rand(2, 2, 6, 6, 6)


@in_zoo
def grouped_convolution():
    return nn.Conv2d(8, 16, 3, groups=4, bias=False), torch.rand(2, 8, 6, 6)


@in_zoo
def depthwise_convolution():
    depthwise = nn.Conv2d(8, 8, 3, groups=8, padding=1)
    return nn.Sequential(depthwise, nn.Conv2d(8, 16, 1)), torch.rand(2, 8, 6, 6)


@in_zoo
def dilated_convolution():
    return nn.Conv2d(1, 2, 3, dilation=2, padding_mode="reflect", padding=2), torch.rand(1, 1, 9, 9)


@in_zoo
def transposed_convolution():
    return nn.ConvTranspose2d(4, 2, 2, stride=2), torch.rand(3, 4, 5, 5)


@in_zoo
def pooling():
    layers = nn.MaxPool2d(2), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    return nn.Sequential(*layers), torch.rand(2, 3, 16, 16)


@in_zoo
def padding_and_shuffling():
    layers = nn.ZeroPad2d(1), nn.PixelShuffle(2), nn.Upsample(scale_factor=2), nn.ChannelShuffle(2)
    return nn.Sequential(*layers), torch.rand(1, 8, 4, 4)


@in_zoo
def lenet():
    features = nn.Conv2d(1, 6, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5)
    head = nn.Linear(400, 120), nn.Sigmoid(), nn.Linear(120, 84), nn.Sigmoid(), nn.Linear(84, 10)
    net = nn.Sequential(*features, nn.Sigmoid(), nn.AvgPool2d(2), nn.Flatten(), *head)
    return net, torch.rand(2, 1, 28, 28)


@in_zoo
def vgg_like():
    def block(channels, wider):
        return nn.Sequential(nn.Conv2d(channels, wider, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))

    head = nn.Sequential(nn.Flatten(), nn.Linear(32 * 16, 64), nn.ReLU(), nn.Linear(64, 10))
    return nn.Sequential(block(3, 16), block(16, 32), head), torch.rand(2, 3, 16, 16)


@in_zoo
def all_convolutional():
    layers = nn.Conv2d(3, 8, 3, stride=2), nn.ELU(), nn.Conv2d(8, 10, 1), nn.AdaptiveAvgPool2d(1)
    return nn.Sequential(*layers, nn.Flatten()), torch.rand(2, 3, 9, 9)


@in_zoo
def batch_norm_on_features():
    return nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU()), torch.rand(5, 4)


@in_zoo
def layer_norm_on_features():
    return nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6)), torch.rand(5, 4)


@in_zoo
def batch_norm_without_weights():
    return nn.BatchNorm2d(4, affine=False), torch.rand(2, 4, 3, 3)


@in_zoo
def lstm():
    return nn.LSTM(8, 16, num_layers=2, batch_first=True), torch.rand(3, 7, 8)


@in_zoo
def gru_both_ways():
    return nn.GRU(8, 16, bidirectional=True), torch.rand(7, 3, 8)


@in_zoo
def elman():
    return nn.RNN(4, 5, nonlinearity="relu"), torch.rand(6, 2, 4)


@in_zoo
def projected_lstm():
    return nn.LSTM(8, 16, proj_size=4), torch.rand(5, 2, 8)


@in_zoo
def bilinear():
    return nn.Bilinear(3, 4, 5), torch.rand(2, 3), torch.rand(2, 4)


@in_zoo
def double_precision():
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU()).double(), torch.rand(2, 3).double()


@in_zoo
def half_precision():
    return nn.Linear(3, 4).to(torch.bfloat16), torch.rand(2, 3).to(torch.bfloat16)


@in_zoo
def mixed_precision():
    class Cast(nn.Module):
        def forward(self, x):
            return x.to(torch.bfloat16)

    return nn.Sequential(nn.Linear(3, 4), Cast(), nn.Linear(4, 2).bfloat16()), torch.rand(2, 3)


@in_zoo
def on_meta():
    net = nn.Sequential(nn.Linear(1000, 1000), nn.ReLU(), nn.Linear(1000, 10)).to("meta")
    return net, torch.rand(2, 1000, device="meta")


@in_zoo
def activations():
    kinds = (nn.ReLU6, nn.LeakyReLU, nn.SiLU, nn.Mish, nn.Hardswish, nn.Softplus, nn.LogSigmoid)
    return nn.Sequential(*(kind() for kind in kinds)), torch.rand(2, 3)


@in_zoo
def working_in_place():
    return nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 3), nn.ELU(inplace=True)), torch.randn(
        2, 3
    )


@in_zoo
def folding():
    return nn.Sequential(nn.Unfold(2), nn.Fold((4, 4), 2)), torch.rand(2, 3, 4, 4)


@in_zoo
def unflattening():
    return nn.Sequential(nn.Linear(4, 12), nn.Unflatten(1, (3, 4))), torch.rand(2, 4)
