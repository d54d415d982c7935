"""How a shown program is put together: imports, our classes as they are written, then the lines."""

from collections.abc import Iterable

from playground.modules.custom_source import class_source, imports


def program(lines: str, classes: Iterable[str] = (), needs: Iterable[str] = ()) -> str:
    """A whole program.

    Args:
        lines: What comes after the classes.
        classes: Names of our classes.
        needs: Import lines beside those of the classes.
    """
    names = tuple(dict.fromkeys(classes))
    wanted = {"import torch", *needs, *(line for name in names for line in imports(name))}
    tops = sorted(wanted, key=lambda line: (not line.startswith("import "), line))
    texts = "".join(f"\n\n{class_source(name)}\n" for name in names)
    gap = "\n\n" if names else "\n"
    return "\n".join(_joined(tops)) + f"\n{texts}{gap}{lines}"


def _joined(tops: list[str]) -> list[str]:
    """Lines that import from one module made one.

    >>> _joined(["import torch", "from torch import nn", "from torch import Tensor, nn"])
    ['import torch', 'from torch import Tensor, nn']
    """
    plain = [line for line in tops if line.startswith("import ")]
    by_module: dict[str, set[str]] = {}
    for line in tops:
        if line not in plain:
            module, _, names = line.removeprefix("from ").partition(" import ")
            by_module.setdefault(module, set()).update(names.split(", "))
    return plain + [
        f"from {each} import {', '.join(sorted(names))}" for each, names in by_module.items()
    ]
