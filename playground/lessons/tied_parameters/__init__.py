"""Lesson on tied parameters: one tensor under two names."""
