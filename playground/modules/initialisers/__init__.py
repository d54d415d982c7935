"""Every initialiser of the installed torch.nn.init: what it takes, gives, and really gave.

The records are in ``playground.modules.initialiser_types``, which is free of torch.
"""

from playground.modules.initialisers.catalogue import initialiser, initialisers
from playground.modules.initialisers.expected import expected, fans
from playground.modules.initialisers.sampling import sample

__all__ = [
    "expected",
    "fans",
    "initialiser",
    "initialisers",
    "sample",
]
