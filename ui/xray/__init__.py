"""The inspection of a file of weights: verdict, contents, and loading it into a network.

A file's texts are untrusted: they are shown as plain text, escaped, never as Markdown.
"""

from ui.xray.file import Card, File, uploaded
from ui.xray.view import explain, look

__all__ = ["Card", "File", "explain", "look", "uploaded"]
