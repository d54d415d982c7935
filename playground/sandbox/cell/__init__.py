"""What the jail's child does with a student's cell; its modules load torch, this package does not.

``task.run_cell`` is the jail's task. ``answering.answer`` is all of it but the jail, so that tests
can call it in their own process.
"""
