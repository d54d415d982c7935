"""Tasks: the challenges of the lesson's step, which open the builder and are met there."""

from typing import Any

from playground import catalog
from playground.modules.workbench import Analysis
from playground.steps import load_step
from ui import progress
from ui.builder.state import BuilderState
from ui.language import current_language

LESSON, STEP = "blocks", "build"


def task_data(state: BuilderState, analysis: Analysis) -> dict[str, object] | None:
    """Return the task that was asked for, and whether the network meets it; None for no task."""
    words = catalog.lesson(LESSON).step(STEP).words
    task = next((each for each in words.challenges if each.id == state.task), None)
    if task is None:
        return None
    step: Any = load_step(LESSON, STEP)
    is_met = step.is_met_by(task.id, state.network, analysis.trace)
    if is_met:
        progress.mark(LESSON, f"challenge/{task.id}")
    language = current_language()
    return {"text": task.task.said(language), "hint": task.hint.said(language), "met": is_met}
