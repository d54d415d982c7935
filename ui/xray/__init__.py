"""A file of weights under X-ray: the verdict, all that is in it, and what it makes of a network.

Every text out of a file is attacker's text: it is shown as plain text, escaped, never as Markdown.
"""

from ui.xray.card import Card
from ui.xray.file import File, brought
from ui.xray.frame import explain, look

__all__ = ["Card", "File", "brought", "explain", "look"]
