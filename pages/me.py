"""A student's own page."""

from ui import student_page

student_page.draw()
