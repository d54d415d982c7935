"""Saving and loading."""

from ui import lesson_page

lesson_page.show("save_and_load")
