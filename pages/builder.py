"""The network builder: the graph of a network is its editor."""

from ui.builder import page

page.draw()
