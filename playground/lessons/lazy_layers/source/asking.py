"""A program that asks a lazy layer too early."""

from playground.lessons.lazy_layers.records import AskTooEarly


def ask_too_early(settings: AskTooEarly) -> str:
    """Make a layer, and ask it before its first batch."""
    return f"""\
import torch
from torch import nn

layer = {settings.written.code}
print(layer)
answer = {settings.question.code}  # before the first batch
text = repr(answer)

layer(torch.ones{settings.written.batch})
print(layer)

result = (text, tuple(layer.weight.shape))
"""
