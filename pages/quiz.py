"""The quiz of a chapter."""

from ui import quiz_page

quiz_page.show()
