"""Write ``ui/lab/assets/names.json``: what the lab's editor completes, with signatures.

    python -m tools.editor_names

The names are those of the sandbox's allow-lists; the signatures and the first sentences of the
documentation are those of the installed packages. Needed after a change of either;
``tests/lab/test_editor_names.py`` says when.
"""

import builtins
import importlib
import inspect
import json
import re
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch.nn import functional

from playground.sandbox import packages
from playground.sandbox.allowed_names import (
    ATTRIBUTES,
    ERRORS,
    FUNCTIONS,
    IMPORTS,
    MODULES,
    PREBOUND,
)

DOCUMENTED = ("torch", "numpy", "matplotlib")  # others are Python's own
END_OF_LICENCE = "POSSIBILITY OF SUCH DAMAGE."  # what follows it is about bundled parts
FILE = Path(__file__).resolve().parents[1] / "ui" / "lab" / "assets" / "names.json"
OBJECTS = {
    "Tensor": "torch.Tensor",
    "Module": "torch.nn.Module",
    "Optimizer": "torch.optim.SGD",
    "LRScheduler": "torch.optim.lr_scheduler.StepLR",
    "ndarray": "numpy.ndarray",
    "str": "builtins.str",
    "list": "builtins.list",
    "dict": "builtins.dict",
}  # the kinds of values whose attributes are completed, and their classes
MADE_BY_INIT = {"Module": "bias weight training", "Optimizer": "param_groups state"}
MAX_SIGNATURE, MAX_SENTENCE = 240, 160
ROLE = re.compile(r":[\w:]+:`~?\.?([^`<]*?)(?:\s*<[^`]*>)?`")
MARKUP = re.compile(r"``?|\\(?:text|mathbb|mathcal)?\{?|\*\*|(?<=\w)`_+")
NOT_A_SENTENCE = re.compile(r"^(?:\.\. |See :|>>>)|-->")


def table() -> dict[str, Any]:
    """Return the names with their signatures and sentences.

    Returns:
        ``modules`` and ``objects`` are tables of tables: by name a text whose first line is the
        signature (empty for a value) and whose second one, if any, is a sentence.
    """
    return {
        "versions": {name: version(name) for name in ("torch", "numpy")},
        "prebound": dict(PREBOUND),
        "imports": {name: " ".join(sorted(names)) for name, names in sorted(IMPORTS.items())},
        "parts": {name: " ".join(sorted(MODULES[name].parts)) for name in sorted(MODULES)},
        "builtins": _entries(builtins, FUNCTIONS | ERRORS),
        "modules": {
            name: _entries(_imported(name), MODULES[name].members) for name in sorted(MODULES)
        },
        "objects": {kind: _attributes(kind, path) for kind, path in OBJECTS.items()},
    }


def version(package: str) -> str:
    """Return the version of a package, without the part that says for which hardware it is."""
    return str(importlib.import_module(package).__version__).partition("+")[0]


def licences() -> str:
    """Return the licences of the packages whose documentation is quoted."""
    parts = [f"{FILE.name} quotes signatures and first sentences of documentation."]
    for package in DOCUMENTED:
        files = distribution(package).files or ()
        found = sorted(each for each in files if each.name.startswith("LICENSE"))
        text = found[0].read_text("utf-8")
        whole, end, _ = text.partition(END_OF_LICENCE)
        parts.append(f"== {package} {version(package)}\n{(whole + end).strip()}")
    return "\n\n".join(parts) + "\n"


def _imported(name: str) -> ModuleType | SimpleNamespace | None:
    if name in packages.HOMES:
        return SimpleNamespace(**packages.members(name))
    try:
        return importlib.import_module(name)
    except ImportError:  # the cell finds an object of ours in its place
        return None


def _attributes(kind: str, path: str) -> dict[str, str]:
    module, _, name = path.rpartition(".")
    owner = getattr(importlib.import_module(module), name)
    names = {each for each in dir(owner) if not each.startswith("_")} & ATTRIBUTES
    return _entries(owner, names | set(MADE_BY_INIT.get(kind, "").split()))


def _entries(owner: object, names: Iterable[str]) -> dict[str, str]:
    found = {name: _entry(getattr(owner, name, None)) for name in sorted(names)}
    if owner is torch:  # some functions are documented in one other place
        found = {
            name: text or _entry(getattr(functional, name, None)) for name, text in found.items()
        }
    return found


def _entry(value: object) -> str:
    text = inspect.getdoc(value) or "" if callable(value) or inspect.isdatadescriptor(value) else ""
    if isinstance(value, type) and value.__doc__ is None:
        text = ""  # it would be that of a base class
    given, text = _signature_in(text)
    shown = given or _signature_of(value) if callable(value) else ""
    return f"{shown[:MAX_SIGNATURE]}\n{first_sentence(text)}".rstrip("\n")


def _signature_of(value: object) -> str:
    """Return the parameters of a function or a class, without their annotations."""
    try:
        known = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    parameters = [
        each.replace(annotation=inspect.Parameter.empty)
        for each in known.parameters.values()
        if each.name != "self"
    ]
    try:
        return re.sub(r"<[^>]* at 0x[^>]*>|<function (\w+)[^>]*>", r"\1", _joined(parameters))
    except ValueError:
        return ""


def _joined(parameters: list[inspect.Parameter]) -> str:
    return str(inspect.Signature(parameters))


def _signature_in(text: str) -> tuple[str, str]:
    """Split the documentation of a function of C into its signature and the rest.

    >>> _signature_in("relu(input) -> Tensor\\n\\nApplies it.")
    ('(input) -> Tensor', 'Applies it.')
    """
    found = re.match(r"\s*[\w.]+(?=\()", text)
    if not found:
        return "", text
    depth = 0
    for place in range(found.end(), min(len(text), 1_000)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            line, _, rest = text[place + 1 :].partition("\n")
            result = re.match(r"\s*->\s*[\w.()\[\], ]+", line)
            shown = " ".join(text[found.end() : place + 1].split())
            if line.strip() and not result:
                return "", text  # a sentence that begins like a call
            shown = shown.replace("\\*", "*").replace("( ", "(").replace(" )", ")")
            return f"{shown}{' ' + ' '.join(result[0].split()) if result else ''}", rest.lstrip()
    return "", text


def first_sentence(text: str) -> str:
    """Return the first sentence of a documentation as plain text.

    >>> first_sentence("Returns :math:`x` of :class:`~torch.Tensor`.  More.\\n\\nEven more.")
    'Returns x of torch.Tensor.'
    """
    paragraph = next((each for each in text.split("\n\n") if each.strip()), "").strip()
    if NOT_A_SENTENCE.search(paragraph):
        return ""
    plain = MARKUP.sub("", ROLE.sub(r"\1", " ".join(paragraph.split()))).replace("}", "")
    sentence = re.split(r"(?<=[^.][a-z)\]0-9]\.)\s", plain, maxsplit=1)[0]
    if len(sentence) <= MAX_SENTENCE:
        return sentence
    return f"{sentence[: MAX_SENTENCE - 1].rpartition(' ')[0]} …"


def as_text(names: dict[str, Any]) -> str:
    """Format a table as JSON, a line for each module and each kind of object."""
    tables = ",\n".join(
        f"{json.dumps(part)}: {_lines(value)}" if part in ("modules", "objects") else
        f"{json.dumps(part)}: {_compact(value)}"
        for part, value in names.items()
    )  # fmt: skip
    return f"{{\n{tables}\n}}\n"


def _lines(value: dict[str, Any]) -> str:
    lines = ",\n".join(f"{json.dumps(name)}: {_compact(each)}" for name, each in value.items())
    return f"{{\n{lines}\n}}"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    FILE.write_text(as_text(table()), "utf-8")
    FILE.with_name("names-LICENSES.txt").write_text(licences(), "utf-8")
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")
