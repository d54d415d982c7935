"""The programs that the student reads and takes away: settings → plain PyTorch, tested to run.

They time the CPU and every GPU of the computer they run on; ``result`` says what was measured,
not how long it took, for that differs from run to run.
"""

from playground.lessons.timing.source.copies import measure_bandwidth, split_copy
from playground.lessons.timing.source.losses import log_losses
from playground.lessons.timing.source.products import compare_clocks, matmul_sweep

__all__ = ["compare_clocks", "log_losses", "matmul_sweep", "measure_bandwidth", "split_copy"]
