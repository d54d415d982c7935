"""Training on any device."""

from ui import lesson_page

lesson_page.show("training")
