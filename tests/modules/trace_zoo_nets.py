"""Networks of classes of our own, as papers and students write them."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.modules.trace_case import Keywords, in_zoo


class Residual(nn.Module):
    def __init__(self, channels, wider, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, wider, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(wider)
        self.conv2 = nn.Conv2d(wider, wider, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(wider)
        self.shortcut = nn.Conv2d(channels, wider, 1, stride) if stride > 1 else None

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        y += x if self.shortcut is None else self.shortcut(x)
        return F.relu(y)


@in_zoo
def residual_block():
    return Residual(4, 4), torch.rand(2, 4, 6, 6)


@in_zoo
def resnet():
    stages = Residual(8, 8), Residual(8, 16, 2), Residual(16, 16), Residual(16, 32, 2)
    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), *stages, *head), torch.rand(2, 3, 16, 16)


class DenseBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(4 + 2 * i, 2, 3, padding=1) for i in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, layer(x)], dim=1)
        return x


@in_zoo
def densenet():
    return nn.Sequential(DenseBlock(), nn.Conv2d(10, 4, 1), nn.AvgPool2d(2)), torch.rand(2, 4, 6, 6)


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleDict(
            {
                "one": nn.Conv2d(4, 2, 1),
                "three": nn.Sequential(nn.Conv2d(4, 2, 1), nn.Conv2d(2, 3, 3, padding=1)),
                "pool": nn.Sequential(nn.MaxPool2d(3, 1, 1), nn.Conv2d(4, 2, 1)),
            }
        )

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches.values()], dim=1)


@in_zoo
def inception():
    return nn.Sequential(Inception(), nn.ReLU(), nn.Conv2d(7, 4, 1)), torch.rand(2, 4, 5, 5)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.up = nn.Upsample(scale_factor=2)
        self.out = nn.Conv2d(12, 1, 3, padding=1)

    def forward(self, x):
        first = F.relu(self.down1(x))
        second = F.relu(self.down2(F.max_pool2d(first, 2)))
        return self.out(torch.cat([first, self.up(second)], dim=1))


@in_zoo
def unet():
    return UNet(), torch.rand(2, 1, 8, 8)


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.gate = nn.Sequential(
            nn.Linear(channels, 2), nn.ReLU(), nn.Linear(2, channels), nn.Sigmoid()
        )

    def forward(self, x):
        return x * self.gate(self.pool(x).flatten(1))[:, :, None, None]


@in_zoo
def mobilenet():
    def inverted(channels):
        return nn.Sequential(
            nn.Conv2d(channels, channels * 4, 1, bias=False),
            nn.ReLU6(),
            nn.Conv2d(channels * 4, channels * 4, 3, padding=1, groups=channels * 4, bias=False),
            SqueezeExcite(channels * 4),
            nn.Conv2d(channels * 4, channels, 1, bias=False),
        )

    return nn.Sequential(inverted(4), inverted(4)), torch.rand(2, 4, 6, 6)


@in_zoo
def autoencoder():
    encoder = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2))
    decoder = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 16), nn.Sigmoid())
    return nn.Sequential(encoder, decoder), torch.rand(3, 16)


class VariationalAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.mean, self.log_variance = (
            nn.Linear(8, 6),
            nn.Linear(6, 2),
            nn.Linear(6, 2),
        )
        self.decoder = nn.Linear(2, 8)

    def forward(self, x):
        h = torch.relu(self.encoder(x))
        mean, log_variance = self.mean(h), self.log_variance(h)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(z), mean, log_variance


@in_zoo
def vae():
    return VariationalAutoencoder(), torch.rand(4, 8)


class Gan(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 6), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, noise):
        made = self.generator(noise)
        return {"made": made, "score": self.critic(made)}


@in_zoo
def gan():
    return Gan(), torch.rand(5, 4)


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.ModuleList(nn.Linear(4, 5) for _ in range(3))

    def forward(self, x):
        weights = self.gate(x).softmax(-1)
        return sum(weights[:, i, None] * expert(x) for i, expert in enumerate(self.experts))


@in_zoo
def mixture_of_experts():
    return Mixture(), torch.rand(2, 4)


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.tower = nn.Sequential(nn.Linear(4, 3), nn.ReLU())

    def forward(self, left, right):
        return (self.tower(left) - self.tower(right)).abs().sum(1)


@in_zoo
def siamese():
    return Siamese(), torch.rand(2, 4), torch.rand(2, 4)


class WideAndDeep(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.deep = (
            nn.Linear(5, 1),
            nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)),
        )

    def forward(self, wide, *, deep):
        return self.wide(wide) + self.deep(deep)


@in_zoo
def wide_and_deep():
    return WideAndDeep(), torch.rand(2, 5), Keywords(deep=torch.rand(2, 3))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        _, (state, _) = self.lstm(x)
        return self.head(state[-1])


@in_zoo
def sequence_classifier():
    return Tagger(), torch.rand(2, 5, 6)


class Highway(nn.Module):
    def __init__(self):
        super().__init__()
        self.change, self.gate = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        return gate * self.change(x) + (1 - gate) * x


@in_zoo
def highway():
    return nn.Sequential(Highway(), Highway(), Highway()), torch.rand(2, 4)


class Looped(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        for _ in range(5):
            x = torch.relu(self.layer(x))
        return x


@in_zoo
def one_layer_five_times():
    return Looped(), torch.rand(2, 4)


class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.factor = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return self.factor * x


@in_zoo
def a_parameter_beside_layers():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.scale = nn.Linear(3, 3), Scale(3)
            self.shift = nn.Parameter(torch.zeros(3))

        def forward(self, x):
            return self.scale(self.layer(x)) + self.shift

    return Net(), torch.rand(2, 3)
