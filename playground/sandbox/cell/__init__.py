"""Runs a student's cell in the jail's child; its modules load torch, this package does not.

``task.run_cell_task`` is the jail's task. ``run_cell.run_cell`` is all of it but the jail, so that
tests can call it in their own process: ``executor`` executes the statements in a ``namespace``,
``display`` and ``format_error`` write the value or the error, ``inspection`` traces the modules
and checks their gradients. ``run_cell.LiveState`` sends what the cell has done so far.
"""
