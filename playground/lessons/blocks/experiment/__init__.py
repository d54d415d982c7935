"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.blocks.experiment.building import build_network, list_layers
from playground.lessons.blocks.experiment.comparing import compare_with_sequential
from playground.lessons.blocks.experiment.containing import use_my_sequential
from playground.lessons.blocks.experiment.duties import check_duties
from playground.lessons.blocks.experiment.keeping import move_constant
from playground.lessons.blocks.experiment.looping import count_loops
from playground.lessons.blocks.experiment.nesting import nest_blocks
from playground.lessons.blocks.experiment.sequential import call_sequential
from playground.lessons.blocks.experiment.sharing import train_shared

__all__ = [
    "build_network",
    "call_sequential",
    "check_duties",
    "compare_with_sequential",
    "count_loops",
    "list_layers",
    "list_layers",
    "move_constant",
    "nest_blocks",
    "train_shared",
    "use_my_sequential",
]
