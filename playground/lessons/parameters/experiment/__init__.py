"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.parameters.experiment.counting import freeze_by_name
from playground.lessons.parameters.experiment.feeding import feed_network
from playground.lessons.parameters.experiment.listing import keep_state, name_parameters
from playground.lessons.parameters.experiment.reaching import (
    list_parameters,
    open_layer,
    reach_parameter,
)
from playground.lessons.parameters.experiment.setting import set_value

__all__ = [
    "feed_network",
    "freeze_by_name",
    "keep_state",
    "list_parameters",
    "name_parameters",
    "open_layer",
    "reach_parameter",
    "set_value",
]
