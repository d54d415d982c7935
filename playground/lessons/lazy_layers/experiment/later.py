"""Sends a second width into a layer that has its shape."""

import torch
from torch import nn

from playground.lessons.lazy_layers.experiment.answering import tried
from playground.lessons.lazy_layers.records import FeedAgain, FeedAgainReport, Meeting


def feed_again(settings: FeedAgain) -> FeedAgainReport:
    """Send two batches into one layer, or one batch through it twice."""
    if settings.meeting is Meeting.SECOND_BATCH:
        layer = nn.LazyLinear(256)
        layer(torch.ones(settings.rows, settings.width))
        y, outcome = tried(lambda: layer(torch.ones(settings.rows, settings.second)))
    else:
        layer = nn.LazyLinear(settings.second)
        net = nn.Sequential(layer, layer)
        y, outcome = tried(lambda: net(torch.ones(settings.rows, settings.width)))
    return FeedAgainReport(
        outcome=outcome,
        meeting=settings.meeting,
        width=settings.width,
        second=settings.second,
        shape=tuple(layer.weight.shape),
        printed_layer=repr(layer),
        output_shape=None if y is None else tuple(y.shape),
    )
