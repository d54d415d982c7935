"""The programs that the student reads and takes away: settings → plain PyTorch, tested to agree."""

from playground.lessons.lazy_layers.source.asking import ask_too_early
from playground.lessons.lazy_layers.source.early import (
    initialise_net,
    train_from_before,
    try_too_early,
)
from playground.lessons.lazy_layers.source.later import feed_again, feed_lazy_layer
from playground.lessons.lazy_layers.source.seeds import compare_seeds
from playground.lessons.lazy_layers.source.timeline import lazy_timeline

__all__ = [
    "ask_too_early",
    "compare_seeds",
    "feed_again",
    "feed_lazy_layer",
    "initialise_net",
    "lazy_timeline",
    "train_from_before",
    "try_too_early",
]
