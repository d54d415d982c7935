"""Layers, blocks, models."""

from ui import lesson_page
from ui.builder import lesson_step

lesson_step.follow_old_link()
lesson_page.show("blocks", below={"build": lesson_step.draw})
