"""Moving a network to a device, and what comes along."""

from ui import lesson_page

lesson_page.show("models")
