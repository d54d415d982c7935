"""Speed of CPU and GPU."""

from ui import lesson_page

lesson_page.show("timing")
