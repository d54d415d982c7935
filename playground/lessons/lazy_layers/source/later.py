"""Programs about what comes after the first batch, and about every lazy layer."""

from playground.lessons.lazy_layers.records import (
    FeedAgain,
    FeedLazyLayer,
    FeedLazyLayerReport,
    Meeting,
)


def feed_again(settings: FeedAgain) -> str:
    """Send two batches into one layer, or one batch through it twice."""
    if settings.meeting is Meeting.USED_TWICE:
        return f"""\
import torch
from torch import nn

layer = nn.LazyLinear({settings.second})
net = nn.Sequential(layer, layer)  # one layer, in two places
Y = net(torch.ones({settings.rows}, {settings.width}))

result = tuple(Y.shape)
"""
    return f"""\
import torch
from torch import nn

layer = nn.LazyLinear(256)
layer(torch.ones({settings.rows}, {settings.width}))
print(layer)  # an ordinary Linear now
Y = layer(torch.ones({settings.rows}, {settings.second}))

result = tuple(Y.shape)
"""


def feed_lazy_layer(settings: FeedLazyLayer, report: FeedLazyLayerReport) -> str:
    """Send a first batch into the layer, which is made as the catalogue knows to make it."""
    return f"""\
import torch
from torch import nn

layer = {report.kind.call}
print(layer)
layer(torch.ones{settings.batch if len(settings.batch) > 1 else f"({settings.batch[0]})"})
print(layer)

result = {{name: tuple(p.shape) for name, p in layer.named_parameters()}}
"""
