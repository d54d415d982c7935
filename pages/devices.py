"""Choosing a device."""

from ui import lesson_page

lesson_page.show("devices")
