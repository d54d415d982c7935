"""For the wall of the room: the question of the live poll, and what the class answers."""

from ui.teacher import projector

projector.draw()
