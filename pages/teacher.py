"""For teachers only: who is here, what was answered, and what the server is doing."""

from ui.teacher import page

page.draw()
