"""Tied parameters."""

from ui import lesson_page

lesson_page.show("tied_parameters")
