"""The lab: any program of the lessons, or one's own, edited and run."""

from ui.lab import page

page.draw()
