"""A network as the program that makes it; writes text, and never imports torch."""

from playground.modules.source.as_class import as_class
from playground.modules.source.as_sequential import as_sequential

__all__ = ["as_class", "as_sequential"]
