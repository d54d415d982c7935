"""Traces one forward of a module, call by call; importing this package loads torch."""

from playground.modules.trace.forward import trace_call, trace_forward

__all__ = ["trace_call", "trace_forward"]
