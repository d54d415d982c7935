"""The lab's programs to start from, its exercises, and charts of what a program plots; no torch.

``examples`` lists the programs of the lessons, ``limits`` the machine and the limits of each in the
lab. ``exercises`` lists the exercises, and ``exercises.grade`` runs a student's program in the
sandbox with each check of an exercise. ``figures`` draws what a program has plotted.
"""
