"""A module that calls a function, and the paths of a trace."""

from torch import nn


class Calls(nn.Module):
    """Calls a function instead of a method of its own."""

    def __init__(self, forward, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)
        self.function = forward

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def paths(trace):
    return [row.path for row in trace.rows]
