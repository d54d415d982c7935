"""The lab's programs to start from, its exercises, its error clinic and its questions; no torch.

``examples`` lists the programs of the lessons, ``limits`` the machine and the limits of each in the
lab. ``exercises`` lists the exercises, and ``exercises.grade`` runs a student's program in the
sandbox with each check of an exercise. ``errors`` says what an error means, ``clinic`` has programs
with one guilty line, ``questions`` asks about a program that ran without an error.
"""
