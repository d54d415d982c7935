"""An error of the playground as one sentence; never a path, never a traceback."""

from collections.abc import Mapping

from playground.errors import InvalidSettingError, PlaygroundError
from ui.quoting import as_code
from ui.words import say, table


def sentence(error: PlaygroundError, labels: Mapping[str, str]) -> str:
    """What to tell the visitor, as Markdown; texts in it may come from strangers, and are code.

    Args:
        error: What went wrong.
        labels: The lesson's labels, to call the refused setting what its control is called.
    """
    key = f"failures.{error.key}"
    if key not in table():
        return say("failures.unforeseen")
    values = {
        name: value if isinstance(value, int | float) else as_code(str(value))
        for name, value in error.values.items()
    }
    if isinstance(error, InvalidSettingError):
        values["label"] = labels.get(error.field, values["field"])
    return say(key, **values)
