"""The layers of the installed torch.nn, read from torch itself.

The records are in ``playground.modules.layer_types``, which is free of torch.
"""

from playground.modules.catalogue.layer_classes import Exclusion, excluded
from playground.modules.catalogue.layers import describe, layer, layers

__all__ = ["Exclusion", "describe", "excluded", "layer", "layers"]
