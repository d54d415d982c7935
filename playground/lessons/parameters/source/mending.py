"""The line that is refused, and the lines that do the same and are allowed."""

from playground.lessons.parameters.records import SetValueReport


def mend_setting(report: SetValueReport) -> tuple[str, str]:
    """What goes and what comes."""
    (line,) = report.lines
    return line, f"with torch.no_grad():\n+     {line}"
