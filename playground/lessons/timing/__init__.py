"""Lesson on timing: measured times of this server, and asynchronous execution."""
