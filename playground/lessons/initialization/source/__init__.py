"""The programs that the student reads and takes away: settings → plain PyTorch, tested to agree."""

from playground.lessons.initialization.source.depth import signal_through_depth
from playground.lessons.initialization.source.initialising import (
    count_fans,
    initialize,
    read_default,
)
from playground.lessons.initialization.source.recipes import (
    apply_per_layer,
    apply_to_all,
    follow_own_rule,
    mend_own_rule,
)
from playground.lessons.initialization.source.symmetry import symmetric_units

__all__ = [
    "apply_per_layer",
    "apply_to_all",
    "count_fans",
    "follow_own_rule",
    "initialize",
    "mend_own_rule",
    "read_default",
    "signal_through_depth",
    "symmetric_units",
]
