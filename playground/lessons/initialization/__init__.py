"""Lesson on initialization: initializers, fans, and the size of signals through depth."""
