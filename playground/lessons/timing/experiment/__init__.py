"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.timing.experiment.clocks import compare_clocks
from playground.lessons.timing.experiment.copies import measure_bandwidth, split_copy
from playground.lessons.timing.experiment.losses import log_losses
from playground.lessons.timing.experiment.matmul import matmul_sweep

__all__ = ["compare_clocks", "log_losses", "matmul_sweep", "measure_bandwidth", "split_copy"]
