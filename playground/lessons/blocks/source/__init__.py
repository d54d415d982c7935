"""The programs that the student reads and takes away: settings → plain PyTorch, tested to agree."""

from playground.lessons.blocks.source.building import build_network, build_network_as_class
from playground.lessons.blocks.source.containing import (
    mend_constant,
    mend_container,
    move_constant,
    repair_container,
    use_my_sequential,
)
from playground.lessons.blocks.source.forward import count_loops, train_shared
from playground.lessons.blocks.source.nesting import check_duties, nest_blocks
from playground.lessons.blocks.source.sequential import call_sequential, compare_with_sequential

__all__ = [
    "build_network",
    "build_network_as_class",
    "call_sequential",
    "check_duties",
    "compare_with_sequential",
    "count_loops",
    "mend_constant",
    "mend_container",
    "move_constant",
    "nest_blocks",
    "repair_container",
    "train_shared",
    "use_my_sequential",
]
