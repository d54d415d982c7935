"""Layers of your own."""

from ui import lesson_page

lesson_page.show("custom_layers")
