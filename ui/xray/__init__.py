"""The inspection of a file of weights: verdict, contents, a network, a second file beside it.

A file's texts are untrusted: they are shown as plain text, escaped, never as Markdown.
"""

from ui.xray.file import Card, File, uploaded
from ui.xray.view import explain, look, look_beside

__all__ = ["Card", "File", "explain", "look", "look_beside", "uploaded"]
