"""Writes the program that constructs a network. Free of torch."""

from playground.modules.source.program import as_class, as_sequential

__all__ = ["as_class", "as_sequential"]
