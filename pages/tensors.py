"""Tensors and devices."""

from ui import lesson_page

lesson_page.show("tensors")
