"""A cell as the rules see it: its tree, who stands inside whom, and what names mean in it."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from playground.sandbox.check.finding import Finding, quoted
from playground.sandbox.facade.tables import MODULES

Meant: TypeAlias = Callable[[], str | None]


@dataclass(slots=True)
class Cell:
    """What the rules read, and where they write what they find.

    Attributes:
        nodes: Every node of the tree, from the outside in.
        parents: By node: the one it stands in.
        roots: By name: the module it stands for, e.g. ``{"nn": "torch.nn"}``.
        imported: By name: the module's member it stands for, e.g. ``{"Tensor": "torch.Tensor"}``.
        bound: Names that the cell gives something itself.
        rebound: Those of them that are variables, parameters or errors, whatever else they are.
        functions: Those of them that are functions.
        classes: Those of them that are classes.
        parameters: Those of them that are parameters of a function.
        caught: Those of them that ``except … as`` binds.
        attributes: Attributes that the cell makes itself.
        privates: Those of them that its classes make.
        files: Names that hold an ``io.BytesIO()`` of the cell, or the name of a file.
        no_files: Names that somewhere hold another text.
        missing: Names that an import gives which is refused.
        looped: Names that a loop or a comprehension gives.
        refused: Nodes with a finding; what stands behind them needs no other.
        findings: What was found, each with a search for the name that was perhaps meant.
    """

    nodes: list[ast.AST]
    parents: Mapping[ast.AST, ast.AST]
    roots: dict[str, str] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    caught: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    privates: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    no_files: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    looped: set[str] = field(default_factory=set)
    refused: set[ast.AST] = field(default_factory=set)
    findings: list[tuple[Finding, Meant | None]] = field(default_factory=list)

    def refuse(self, id: str, node: ast.AST, meant: Meant | None = None, **values: str) -> None:
        """Note a finding at a node.

        Args:
            id: Of the sentence.
            node: Where it is.
            meant: Looks for the name that was perhaps meant; called for findings that are shown.
            values: What the sentence mentions.
        """
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        if isinstance(node, ast.Attribute) and node.end_lineno and node.end_col_offset:
            line, column = node.end_lineno, node.end_col_offset - len(node.attr)  # the last name
        self.refused.add(node)
        told = {name: quoted(value) for name, value in values.items()}
        self.findings.append((Finding(id, line, column + 1, told), meant))

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that a node stands in, from the inside out."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def module_of(self, node: ast.AST) -> str | None:
        """The module that an expression names, e.g. ``"torch.nn.init"``; None for all else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.roots:
            return None
        module = self.roots[node.id]
        for part in reversed(parts):
            if part not in MODULES[module].parts:
                return None
            module = f"{module}.{part}"
        return module

    def member_of(self, node: ast.AST) -> str | None:
        """The dotted name of a module's member, e.g. ``"torch.no_grad"``; None for all else."""
        if isinstance(node, ast.Name):
            return self.imported.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        module = self.module_of(node.value)
        return None if module is None else f"{module}.{node.attr}"


def stem(node: ast.AST) -> ast.AST:
    """Where a chain of attributes, items and calls begins: ``net`` of ``net[0].weight.data``.

    >>> import ast
    >>> stem(ast.parse("net[0].weight", mode="eval").body).id
    'net'
    """
    while True:
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return node
