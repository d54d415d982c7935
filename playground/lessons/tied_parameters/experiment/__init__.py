"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.tied_parameters.experiment.adding import tied_gradient
from playground.lessons.tied_parameters.experiment.identity import count_tied
from playground.lessons.tied_parameters.experiment.loading import load_tied
from playground.lessons.tied_parameters.experiment.replaying import tie_replay
from playground.lessons.tied_parameters.experiment.sharing import share_layer
from playground.lessons.tied_parameters.experiment.stepping import step_tied

__all__ = [
    "count_tied",
    "load_tied",
    "share_layer",
    "step_tied",
    "tie_replay",
    "tied_gradient",
]
