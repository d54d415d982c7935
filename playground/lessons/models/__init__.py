"""Lesson on moving a network to a device: which tensors move with it."""
