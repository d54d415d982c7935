"""A step to begin with, live; then the lessons, and what this server has."""

from ui import home_view

home_view.draw_step()
home_view.draw_lessons()
home_view.draw_server()
