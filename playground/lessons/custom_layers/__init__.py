"""Lesson on custom layers: the class, its parameters and their gradients."""
