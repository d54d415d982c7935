"""Layers, blocks, models."""

from ui import builder, lesson_page

builder.follow_old_link()
lesson_page.show("blocks", below={"build": builder.draw})
