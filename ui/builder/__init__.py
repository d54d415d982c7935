"""The builder: a network put together by hand, layer by layer, and what PyTorch makes of it.

The only place that knows the builder's session state. The page of its lesson calls ``draw`` below
the program of its step.
"""

from ui.builder.below import draw, follow_old_link

__all__ = ["draw", "follow_old_link"]
