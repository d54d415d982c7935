"""The programs that the student reads and takes away: settings → plain PyTorch, tested to agree."""

from playground.lessons.parameters.source.changing import feed_network, freeze_by_name, set_value
from playground.lessons.parameters.source.looking import (
    keep_state,
    name_parameters,
    open_layer,
    reach_parameter,
)
from playground.lessons.parameters.source.mending import mend_setting

__all__ = [
    "feed_network",
    "freeze_by_name",
    "keep_state",
    "mend_setting",
    "name_parameters",
    "open_layer",
    "reach_parameter",
    "set_value",
]
