"""The builder: a network built layer by layer, and PyTorch's answer to it.

The only place that knows the builder's session state. The page of its lesson calls ``draw`` below
the program of its step.
"""

from ui.builder.layout import draw, follow_old_link

__all__ = ["draw", "follow_old_link"]
