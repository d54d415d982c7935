"""A whole program: imports, our classes as their files have them, then the lines of a step."""

from playground.modules.custom_source import class_source, imports


def whole(lines: str, *classes: str, needs: tuple[str, ...] = ()) -> str:
    """Put a program together.

    Args:
        lines: What it does.
        classes: Our own classes that it uses.
        needs: Import lines beyond those of the classes.

    >>> whole("X = torch.ones(2)", needs=("import io",))
    'import io\\n\\nimport torch\\n\\nX = torch.ones(2)\\n'
    """
    found = {line for name in classes for line in imports(name)} | {"import torch"}
    torchs = sorted(found, key=lambda line: (line.startswith("from"), line))
    parts = ["\n".join(needs), "\n".join(torchs)]
    head = "\n\n".join(part for part in parts if part)
    if not classes:
        return f"{head}\n\n{lines.strip()}\n"
    texts = "\n\n\n".join(class_source(name) for name in classes)
    return f"{head}\n\n\n{texts}\n\n\n{lines.strip()}\n"
