"""What the lab offers to begin with: every program of the lessons, and exercises; no torch.

``starts.starts()`` are the programs of the lessons. The page reads of the exercises:
``exercises.exercises()``, in order; ``exercises.exercise(id)``; and
``exercises.grade(exercise, source, machine, on_wait=…)``, which runs the student's text in the
sandbox with each check of the exercise, and returns a ``Grade``.
"""
