"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.lazy_layers.experiment.asking import ask_too_early
from playground.lessons.lazy_layers.experiment.early import try_too_early
from playground.lessons.lazy_layers.experiment.every import feed_lazy_layer, list_lazy_layers
from playground.lessons.lazy_layers.experiment.later import feed_again
from playground.lessons.lazy_layers.experiment.seeds import compare_seeds
from playground.lessons.lazy_layers.experiment.timeline import lazy_timeline
from playground.lessons.lazy_layers.experiment.training import initialise_net, train_from_before

__all__ = [
    "ask_too_early",
    "compare_seeds",
    "feed_again",
    "feed_lazy_layer",
    "initialise_net",
    "lazy_timeline",
    "list_lazy_layers",
    "train_from_before",
    "try_too_early",
]
