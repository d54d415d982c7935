"""Which function answers which settings: found by name, so there is no register to keep."""

import importlib
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playground.compute.settings import Settings

LESSONS = Path(__file__).parents[1] / "lessons"
WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def experiment_name(settings_class: type[Settings[Any]]) -> tuple[str, str]:
    """Name the module and the function of an experiment; imports nothing.

    ``playground.lessons.models.records.FeedModel`` is answered by the function
    ``feed_model`` of ``playground.lessons.models.experiment``. Both may be packages.

    Raises:
        LookupError: The class stands in no module or package called ``records``.
    """
    package, found, _ = f"{settings_class.__module__}.".partition(".records.")
    if not found:
        raise LookupError(f"{settings_class.__qualname__} is not defined in a records module")
    return f"{package}.experiment", snake_case(settings_class.__name__)


def find_experiment(settings_class: type[Settings[Any]]) -> Callable[..., object]:
    """Find the experiment of a settings class: its own method, or a function of its lesson.

    This is where a worker meets a lesson's torch.

    Raises:
        LookupError: The experiment module has no such function.
    """
    own: Callable[..., object] | None = getattr(settings_class, "experiment", None)
    if own is not None:
        return own
    module_name, function_name = experiment_name(settings_class)
    function = getattr(importlib.import_module(module_name), function_name, None)
    if not callable(function):
        raise LookupError(f"{module_name} has no function {function_name}")
    found: Callable[..., object] = function
    return found


def import_experiments() -> None:
    """Import the experiments of all lessons, so that no student waits for it.

    A lesson that cannot be imported is logged; it says so again when it is asked to run.
    """
    for lesson in sorted(LESSONS.glob("*/lesson.toml")):
        folder = lesson.parent
        is_old = (folder / "experiment").exists() or (folder / "experiment.py").exists()
        names = ["experiment"] if is_old else sorted(file.stem for file in folder.glob("[a-z]*.py"))
        for name in names:
            try:
                importlib.import_module(f"playground.lessons.{folder.name}.{name}")
            except ImportError:
                logging.getLogger(__name__).exception("%s.%s: import failed", folder.name, name)


def snake_case(class_name: str) -> str:
    """Turn the name of a class into the name of its function.

    >>> snake_case("FeedModel"), snake_case("TryGpu"), snake_case("SGDStep")
    ('feed_model', 'try_gpu', 'sgd_step')
    """
    return WORD_START.sub("_", class_name).lower()
