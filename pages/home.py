"""What this is, the map of the lessons with progress, what this server has, and where to start."""

from ui import home_view

home_view.draw_start()
home_view.draw_map()
home_view.draw_server()
