"""The line that is refused, and the lines that do the same and are allowed."""

from playground.lessons.parameters.records import SetValue


def mend_setting(settings: SetValue) -> tuple[str, str]:
    """What goes and what comes."""
    (line,) = settings.lines
    return line, f"with torch.no_grad():\n    {line}"
