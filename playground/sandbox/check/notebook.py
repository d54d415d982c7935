"""Lines of Jupyter in a cell: ``%matplotlib inline``, ``%timeit x``, ``!nvidia-smi``, ``x?``.

They are no Python. Each is replaced by a line of Python with the same effect here, so that lines
keep their numbers, and a finding says so. What the replacements call is bound by the facade.
"""

import ast
import re
from dataclasses import dataclass

from playground.sandbox.allowed_names import MODULES
from playground.sandbox.check.program import Finding, quoted
from playground.sandbox.limits import LIMITS

TIMEIT, TIME, NVIDIA_SMI = "__timeit__", "__time__", "__nvidia_smi__"
FUNCTIONS = frozenset({TIMEIT, TIME, NVIDIA_SMI})
MAX_LINES = 50  # of Jupyter in one cell
MAGIC = re.compile(r"(?P<space>[ \t]*)(?P<sign>%{1,2}|!)(?P<name>[\w-]+)[ \t]*(?P<rest>.*)")
HELP = re.compile(r"(?P<space>[ \t]*)(\?{1,2}(?P<after>[\w.]+)|(?P<before>[\w.]+)\?{1,2})\s*")
OPTIONS = re.compile(r"(-[nr]\s*\d+\s+|-[oqcpt]\s+)*")
DROPPED = frozenset(
    {"autoreload", "capture", "config", "load_ext", "matplotlib", "pylab", "reload_ext"}
)
TIMED = {"time": "magic_time", "timeit": "magic_timeit"}
INSTALLERS = frozenset({"conda", "mamba", "pip", "pip3", "uv"})
PACKAGE = re.compile(r"[A-Za-z][\w.-]*")
NAMES_OF_PACKAGES = {"scikit-learn": "sklearn", "pillow": "PIL", "matplotlib-inline": "matplotlib"}
ASSIGNMENT = re.compile(r"(?P<target>[A-Za-z_]\w*)\s*=(?!=)\s*(?P<value>.+)")


@dataclass(frozen=True, slots=True)
class Translation:
    """A cell as Python.

    Attributes:
        source: As many lines as before.
        findings: What was replaced.
    """

    source: str
    findings: tuple[Finding, ...] = ()


def translate(source: str) -> Translation:
    """Replace the lines of Jupyter at which Python's parser stops.

    A text between quotes that looks like one is none, and stays.

    >>> translate("%matplotlib inline\\nprint(1)").source
    'pass\\nprint(1)'
    """
    if len(source) > LIMITS.source_characters:
        return Translation(source)
    lines, findings = source.split("\n"), list[Finding]()
    for _ in range(MAX_LINES):
        try:
            ast.parse("\n".join(lines))
        except SyntaxError as error:
            index = (error.lineno or 0) - 1
            replaced = _replaced(lines[index], index + 1) if 0 <= index < len(lines) else None
            if replaced is None:
                break
            lines[index], finding = replaced
            findings.append(finding)
        except (ValueError, RecursionError, MemoryError):
            break
        else:
            break
    return Translation("\n".join(lines), tuple(findings))


def _replaced(text: str, line: int) -> tuple[str, Finding] | None:
    """Return the Python for a line, and the finding; None for a line that is refused."""
    asked = HELP.fullmatch(text)
    if asked is not None:
        name = asked["before"] or asked["after"]
        finding = Finding("magic_help", line, 1, {"name": quoted(name)})
        return f"{asked['space']}help({name})", finding
    found = MAGIC.fullmatch(text)
    if found is None:
        return None
    space, name, rest = found["space"], found["name"], found["rest"].strip()
    values = {"line": quoted(text)}
    if name == "nvidia-smi" and found["sign"] == "!":
        return f"{space}{NVIDIA_SMI}()", Finding("magic_nvidia_smi", line, 1, values)
    if name in INSTALLERS:
        return f"{space}pass", _installed(rest, line, values)
    if found["sign"] == "!":
        return None
    if name in DROPPED or (name == "time" and found["sign"] == "%%"):
        return f"{space}pass", Finding("magic_dropped", line, 1, values)
    timed = _timed(name, rest) if found["sign"] == "%" and name in TIMED else None
    return (space + timed, Finding(TIMED[name], line, 1, values)) if timed else None


def _installed(rest: str, line: int, values: dict[str, str]) -> Finding:
    """Say whether all packages of an ``install`` are here."""
    missing = [
        name
        for name in PACKAGE.findall(re.sub(r"(?<=\w)[=<>!~].*?(?=\s|$)", "", rest))
        if name != "install" and NAMES_OF_PACKAGES.get(name.lower(), name.lower()) not in MODULES
    ]
    if missing:
        return Finding("magic_not_installed", line, 1, {"name": quoted(", ".join(missing))})
    return Finding("magic_installed", line, 1, values)


def _timed(name: str, rest: str) -> str | None:
    """Return a call that measures an expression; None for another statement."""
    code = rest[OPTIONS.match(rest).end() :] if name == "timeit" else rest  # type: ignore[union-attr]
    assigned = ASSIGNMENT.fullmatch(code)
    value = assigned["value"] if assigned else code
    try:
        value = ast.unparse(ast.parse(f"({value}\n)", mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if name == "timeit":
        return f"{TIMEIT}(lambda: ({value}))"
    target = f"{assigned['target']} = " if assigned else ""
    return f"{target}{TIME}(lambda: ({value}))"
