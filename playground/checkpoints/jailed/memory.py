"""Tells errors of memory from all others, since they end a run instead of answering it."""

from playground.compute.outcome import Outcome

ALLOCATOR = "DefaultCPUAllocator"


def raise_if_memory(outcome: Outcome) -> None:
    """Turn a refusal that is about memory back into an error.

    Raises:
        MemoryError: The refusal was one, or torch's allocator in its own words.
    """
    if outcome.error_type == "MemoryError" or ALLOCATOR in outcome.message:
        raise MemoryError(outcome.message)
