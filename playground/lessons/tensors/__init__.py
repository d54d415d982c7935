"""Lesson on tensors and devices: placement, device errors, and memory use."""
