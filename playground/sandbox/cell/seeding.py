"""Seeds random numbers without the detours of ``torch.manual_seed``.

For every kind of accelerator that is not there it writes down a traceback, which takes longer than
a small network's forward.
"""

import torch

from playground.machines.simulated.active import this_thread


def seed(number: int) -> None:
    """Seed the CPU's generator, and those of simulated GPUs where there are any.

    >>> seed(3)
    >>> torch.initial_seed()
    3
    """
    torch.default_generator.manual_seed(number)
    if this_thread.host is not None:
        torch.cuda.manual_seed_all(number)
