"""A step to begin with, live; then the lessons, and what this server has."""

from ui import home_page

home_page.draw_step()
home_page.draw_lessons()
home_page.draw_server()
