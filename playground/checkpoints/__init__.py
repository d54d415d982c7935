"""Checkpoints: files of weights, inspected, loaded and saved.

``inspect`` judges the bytes of a file in the web process, without torch. ``load`` gives an
accepted file to a child in the jail (``jailed``), which loads it with torch; ``verification``
checks that the child loaded what was inspected. ``keys`` compares names and shapes. ``save`` writes
files.
"""
