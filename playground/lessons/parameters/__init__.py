"""Lesson on accessing parameters: by name, by index, all together, and one value at a time."""
