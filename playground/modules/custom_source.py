"""The source of the classes in ``custom``, read from their files without importing them."""

import ast
import functools
from pathlib import Path

FOLDER = Path(__file__).parent / "custom"

# Class and file; what a spec may name as a layer comes first, then what blocks are built from.
LAYERS = {
    "MLP": "mlp",
    "NestMLP": "nest_mlp",
    "FixedHiddenMLP": "fixed_hidden_mlp",
    "CenteredLayer": "centered_layer",
    "MyLinear": "my_linear",
    "MyLinearWithData": "my_linear_with_data",
    "FirstOutput": "first_output",
}
BLOCKS = {
    "Residual": "residual",
    "Concatenate": "concatenate",
    "MySequential": "my_sequential",
    "MySequentialWithList": "my_sequential_with_list",
}
HOLDERS = {
    f"Scale{way}": "scales"
    for way in ("Attribute", "Tracked", "Parameter", "Buffer", "UnsavedBuffer")
}
FILES = LAYERS | BLOCKS | HOLDERS


@functools.cache
def class_source(name: str) -> str:
    """Return the source of one of our classes.

    Args:
        name: The class, e.g. ``"MLP"``.

    Raises:
        KeyError: We have none of that name.

    >>> print(class_source("CenteredLayer"))
    class CenteredLayer(nn.Module):
        \"\"\"Subtracts the mean of all elements.\"\"\"
    <BLANKLINE>
        def forward(self, X: Tensor) -> Tensor:
            \"\"\"The same shape, with mean 0.\"\"\"
            return X - X.mean()
    """
    text = _text(name)
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
    raise KeyError(name)


@functools.cache
def imports(name: str) -> tuple[str, ...]:
    """Return the import lines of the class's file."""
    return tuple(
        ast.unparse(node)
        for node in ast.parse(_text(name)).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def _text(name: str) -> str:
    return (FOLDER / f"{FILES[name]}.py").read_text("utf-8")
