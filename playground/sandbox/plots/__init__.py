"""Matplotlib in the jail: draws without a display, from fonts in memory, to PNG images.

``agg`` loads matplotlib and draws; ``pyplot`` replaces the functions that would read or write a
file, start a program or change the backend. Only processes that run students' programs load them.
"""
