"""Lazy initialization."""

from ui import lesson_page

lesson_page.show("lazy_layers")
