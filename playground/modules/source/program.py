"""Whole programs: a network as one nn.Sequential, or as a class of its own."""

from collections.abc import Iterable

from playground.errors import InvalidSpecError
from playground.modules import custom_source
from playground.modules.source.expressions import Writer
from playground.modules.source.layout import (
    Expression,
    Line,
    call,
    lines,
    prefixed,
    words_in,
)
from playground.modules.source.methods import Methods, attribute_names, named_nodes
from playground.modules.spec import names
from playground.modules.spec.network import InputKind, InputSpec, Network, root_of, shared_nodes
from playground.modules.spec.nodes import Block, Node


def program(
    body: Iterable[str],
    writer: Writer,
    *,
    definition: Iterable[str] = (),
    uses_torch: bool = False,
    seed: int | None = None,
    run: Iterable[InputSpec] = (),
) -> tuple[Line, ...]:
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
    if uses_torch or writer.uses_torch or calls or seed is not None:
        imports.add("import torch")
    if writer.needs_ordered_dict:
        imports.add("from collections import OrderedDict")
    classes = [custom_source.class_source(name).split("\n") for name in writer.classes]
    made = [] if seed is None else [f"torch.manual_seed({seed})"]
    parts = [_imports(imports).split("\n"), *classes]
    parts += [[f"class {name}(nn.Module):", *text] for text, name in writer.definitions.items()]
    parts += [list(definition)] if definition else []
    gap = ["", ""] if len(parts) > 1 else [""]
    rows: list[str] = []
    for part in (*parts, [*made, *body, *calls]):
        rows += [*gap, *part] if rows else part
    return tuple(row if isinstance(row, Line) else Line(row) for row in rows)


def inputs_of(spec: Node | Network, run: bool) -> tuple[InputSpec, ...]:
    """Return the inputs that the program calls the network with; none unless ``run``."""
    return spec.input if run and isinstance(spec, Network) else ()


def input_names(count: int) -> tuple[str, ...]:
    """Return the names of the inputs: X, or X1 and X2.

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


def as_sequential(spec: Node | Network, *, seed: int | None = None, run: bool = False) -> str:
    """Write the program that makes ``net`` of nn.Sequential and the layers.

    What nn.Sequential cannot say is a small class in the program; what is used again is a variable.

    Args:
        spec: A layer, a block or a network.
        seed: Written as ``torch.manual_seed(seed)``; without one, nothing is.
        run: Whether to call the network in the end, with the inputs of the ``Network``.

    Raises:
        InvalidSpecError: A place shares what is not there.

    >>> from playground.modules.spec import Block, Layer
    >>> print(as_sequential(Block([Layer("Linear", {"in_features": 2, "out_features": 1})])))
    from torch import nn
    <BLANKLINE>
    net = nn.Sequential(
        nn.Linear(2, 1),
    )
    <BLANKLINE>
    """
    return "\n".join(sequential_lines(spec, seed=seed, run=run)) + "\n"


def sequential_lines(
    spec: Node | Network, *, seed: int | None = None, run: bool = False
) -> tuple[Line, ...]:
    """Return the lines of ``as_sequential``, each with the path of its node."""
    root = root_of(spec)
    if isinstance(root, Block) and root.is_wired:
        return class_lines(spec, seed=seed, run=run)
    shared = shared_nodes(root)
    writer = Writer(variable_names(shared), wired_class)
    body = [line for path, node in shared.items() for line in made_first(writer, path, node)]
    body += lines(prefixed("net = ", writer.node(root, "", is_open=True)))
    return program(body, writer, seed=seed, run=inputs_of(spec, run))


def variable_names(shared: Iterable[str]) -> dict[str, str]:
    """Name the shared nodes: ``shared``, or ``shared1`` and so on."""
    paths = list(shared)
    if len(paths) == 1:
        return dict.fromkeys(paths, "shared")
    return {path: f"shared{number}" for number, path in enumerate(paths, start=1)}


def made_first(writer: Writer, path: str, node: Node, indent: int = 0) -> list[Line]:
    """Write the lines that assign a shared node to its variable."""
    made = prefixed(f"{writer.variables[path]} = ", writer.making(node, path))
    return lines(made, indent=indent)


RESERVED = {"OrderedDict", "Tensor", "F", "nn", "torch", "net", "super", "str", "range", "X", "Y"}


def as_class(
    spec: Node | Network, name: str = "Net", *, seed: int | None = None, run: bool = False
) -> str:
    """Write the program that makes ``net`` of a class of its own.

    Args:
        spec: A layer, a block or a network.
        name: What the class is called.
        seed: Written as ``torch.manual_seed(seed)``; without one, nothing is.
        run: Whether to call the network in the end, with the inputs of the ``Network``.

    Raises:
        InvalidSpecError: A place shares what is not there, or no class can be called so.

    >>> from playground.modules.spec import Block, Layer
    >>> print(as_class(Block([Layer("Flatten"), Layer("ReLU")])))
    from torch import nn
    <BLANKLINE>
    <BLANKLINE>
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.flatten = nn.Flatten()
            self.relu = nn.ReLU()
    <BLANKLINE>
        def forward(self, X):
            X = self.flatten(X)
            return self.relu(X)
    <BLANKLINE>
    <BLANKLINE>
    net = Net()
    <BLANKLINE>
    """
    return "\n".join(class_lines(spec, name, seed=seed, run=run)) + "\n"


def class_lines(
    spec: Node | Network, name: str = "Net", *, seed: int | None = None, run: bool = False
) -> tuple[Line, ...]:
    """Return the lines of ``as_class``, each with the path of its node."""
    taken = RESERVED | set(custom_source.CLASSES)
    if not names.is_identifier(name) or name in taken or len(name) > names.MAX_CHARACTERS:
        raise InvalidSpecError("spec_name", name=name[: names.MAX_CHARACTERS])
    root = root_of(spec)
    shared = shared_nodes(root)
    called = attribute_names(named_nodes(root, ""))
    own = {path: f"self.{called[path]}" for path in shared if path in called}
    variables = variable_names(path for path in shared if path not in own) | own
    writer = Writer(variables, wired_class, taken={name})
    making = [line for path, node in shared.items() for line in made_first(writer, path, node, 2)]
    methods = Methods(writer, root, "", _inputs(spec, root))
    text = class_text(methods, making, ())
    run_with = inputs_of(spec, run)
    return program(
        [Line(f"net = {name}()", "")],
        writer,
        definition=[Line(f"class {name}(nn.Module):", ""), *text],
        uses_torch=methods.uses_torch,
        seed=seed,
        run=run_with,
    )


def class_text(methods: Methods, making: Iterable[Line], given: Iterable[str]) -> list[Line]:
    """Write the two methods of a class; ``given`` are the arguments of ``__init__``."""
    rows = [
        Line(f"    def __init__({', '.join(('self', *given))}):"),
        Line("        super().__init__()"),
        *making,
    ]
    for attribute, made in methods.attributes:
        rows += lines(prefixed(f"self.{attribute} = ", made), indent=2)
    rows += [Line(""), Line(f"    def forward(self, {', '.join(methods.inputs)}):")]
    for step, path in methods.steps:
        rows += lines(step, indent=2, path=path)
    return rows


def wired_class(writer: Writer, block: Block, path: str) -> Expression:
    """Write a class for a wired block, and return its construction.

    What the block shares with the rest of the network becomes an argument of the class.
    """
    outer = dict(writer.variables)
    inner = {below: variable.removeprefix("self.") for below, variable in outer.items()}
    writer.variables = inner
    methods = Methods(writer, block, path, input_names(len(block.inputs) or 1))
    writer.variables = outer
    made = [each for _, made in methods.attributes for each in words_in(made)]
    used = {below: name for below, name in inner.items() if name in made}
    text = class_text(methods, (), used.values())
    writer.uses_torch |= methods.uses_torch
    name = writer.class_name(tuple(text), block)
    return call(name, [outer[below] for below in used])


def _inputs(spec: Node | Network, root: Node) -> tuple[str, ...]:
    if isinstance(root, Block) and not root.is_wired:
        return ("X",)  # more than one is refused, as by nn.Sequential
    return input_names(len(spec.input)) if isinstance(spec, Network) else ("*inputs",)
