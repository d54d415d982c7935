"""A whole program around the lines that make a network: imports, classes, a call."""

from collections.abc import Iterable

from playground.modules import custom_source
from playground.modules.source.expressions import Writer
from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.modules.spec.nodes import Node


def program(
    body: Iterable[str],
    writer: Writer,
    *,
    definition: Iterable[str] = (),
    uses_torch: bool = False,
    seed: int | None = None,
    run: Iterable[InputSpec] = (),
) -> str:
    """Put a program together.

    Args:
        body: The lines that make ``net``.
        writer: What wrote them, and knows what they need.
        definition: The lines of a class in front of them.
        uses_torch: Whether they say ``torch.`` themselves.
        seed: Of torch's generator, set before the first number is drawn.
        run: What the network is called with in the end; nothing leaves that out.
    """
    calls = list(_calls(run))
    imports = {line for name in writer.classes for line in custom_source.imports(name)}
    imports.add("from torch import nn")
    if uses_torch or calls or seed is not None:
        imports.add("import torch")
    if writer.needs_ordered_dict:
        imports.add("from collections import OrderedDict")
    classes = [custom_source.class_source(name) for name in writer.classes]
    defined = "\n".join(definition)
    classes += [defined] if defined else []
    made = [] if seed is None else [f"torch.manual_seed({seed})"]
    made += [*body, *calls]
    gap = "\n\n\n" if classes else "\n\n"
    return gap.join([_imports(imports), *classes, "\n".join(made)]) + "\n"


def inputs_of(spec: Node | Network, run: bool) -> tuple[InputSpec, ...]:
    """What a program calls the network with, where it is asked to and knows."""
    return spec.input if run and isinstance(spec, Network) else ()


def input_names(count: int) -> tuple[str, ...]:
    """What the inputs are called: X, or X1 and X2.

    >>> input_names(1), input_names(2)
    (('X',), ('X1', 'X2'))
    """
    return ("X",) if count == 1 else tuple(f"X{number}" for number in range(1, count + 1))


def _calls(inputs: Iterable[InputSpec]) -> Iterable[str]:
    given = tuple(inputs)
    names = input_names(len(given))
    if not given:
        return
    yield ""
    for name, one in zip(names, given, strict=True):
        if one.kind is InputKind.TOKENS:
            yield f"{name} = torch.randint({one.below}, {one.shape!r})"
        else:
            yield f"{name} = torch.randn({', '.join(map(str, one.shape)) or '()'})"
    yield f"Y = net({', '.join(names)})"


def _imports(lines: set[str]) -> str:
    from_torch = sorted(
        {
            name
            for line in lines
            if line.startswith("from torch import ")
            for name in line.removeprefix("from torch import ").split(", ")
        }
    )
    rest = {line for line in lines if not line.startswith("from torch import ")}
    standard = sorted(line for line in rest if "torch" not in line)
    third = sorted(line for line in rest if line.startswith("import torch"))
    third.append(f"from torch import {', '.join(from_torch)}")
    third += sorted(line for line in rest if line.startswith("from torch."))
    return "\n\n".join("\n".join(group) for group in (standard, third) if group)
