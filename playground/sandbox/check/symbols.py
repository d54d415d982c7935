"""The symbol table of a program: what it binds and imports, and which attributes it defines."""

import ast
from collections.abc import Callable
from typing import Any

from playground.sandbox.check.program import Program, stem
from playground.sandbox.facade.allowed_names import IMPORTS, MODULES, PREBOUND, is_file_name

NAMING_CALLS = frozenset(
    {"add_module", "register_module", "register_buffer", "register_parameter", "getattr"}
)

FILES = frozenset({"BytesIO", "Path"})
WORDS = frozenset({"copy", "math"})


def collect_symbols(tree: ast.Module) -> Program:
    """Build the symbol table of a syntax tree."""
    nodes, parents = _walk(tree)
    program = Program(nodes, parents, roots=dict(PREBOUND))
    for node in nodes:
        collect = _COLLECTORS.get(type(node))
        if collect is not None:
            collect(program, node)
    _free_unimported_words(program)
    program.files -= program.no_files
    return program


def _free_unimported_words(program: Program) -> None:
    """``copy`` and ``math`` are ordinary words: a cell that does not import them may use them."""
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in program.nodes
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    for name in WORDS - imported:
        if name in program.bound:
            del program.roots[name]


def _walk(tree: ast.Module) -> tuple[list[ast.AST], dict[ast.AST, ast.AST]]:
    """Every node, from the outside in; no recursion, so depth does not matter."""
    nodes: list[ast.AST] = [tree]
    parents: dict[ast.AST, ast.AST] = {}
    for node in nodes:  # it grows
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                if not isinstance(value, ast.expr_context):
                    nodes.append(value)
                    parents[value] = node
            elif isinstance(value, list):
                for each in value:
                    if isinstance(each, ast.AST):
                        nodes.append(each)
                        parents[each] = node
    return nodes, parents


def _import(program: Program, node: ast.Import) -> None:
    for alias in node.names:
        if alias.asname is not None and alias.name in IMPORTS:
            program.roots[alias.asname] = alias.name
        elif alias.asname is None and alias.name.split(".")[0] in MODULES:
            top = alias.name.split(".")[0]
            program.roots[top] = top
        elif alias.name not in MODULES:
            program.missing.add(alias.asname or alias.name.split(".")[0])


def _import_from(program: Program, node: ast.ImportFrom) -> None:
    module = MODULES.get(node.module or "")
    for alias in node.names:
        name = alias.asname or alias.name
        if module is None:
            program.missing.add(name)
        if module is not None and alias.name in module.parts:
            program.roots[name] = f"{node.module}.{alias.name}"
        else:
            program.imported[name] = f"{node.module}.{alias.name}"


def _name(program: Program, node: ast.Name) -> None:
    if isinstance(node.ctx, ast.Store):
        program.bound.add(node.id)
        program.rebound.add(node.id)
        if isinstance(program.parents[node], ast.For | ast.comprehension):
            program.looped.add(node.id)
        statement = next(each for each in program.around(node) if isinstance(each, ast.stmt))
        if isinstance(program.parents.get(statement), ast.ClassDef):
            program.attributes.add(node.id)
            program.privates.add(node.id)


def _attribute(program: Program, node: ast.Attribute) -> None:
    if isinstance(node.ctx, ast.Store) and isinstance(stem(node), ast.Name):
        program.attributes.add(node.attr)
        if isinstance(node.value, ast.Name) and node.value.id == _self_around(program, node):
            program.privates.add(node.attr)


def _self_around(program: Program, node: ast.AST) -> str | None:
    """Return the name of ``self`` in the method around a node; None outside of a method."""
    for around in program.around(node):
        if isinstance(around, ast.FunctionDef) and isinstance(
            program.parents[around], ast.ClassDef
        ):
            given = [*around.args.posonlyargs, *around.args.args]
            return given[0].arg if given else None
    return None


def _function(program: Program, node: ast.FunctionDef) -> None:
    if isinstance(program.parents[node], ast.ClassDef):
        program.attributes.add(node.name)
        program.privates.add(node.name)
    else:
        program.bound.add(node.name)
        program.functions.add(node.name)


def _class(program: Program, node: ast.ClassDef) -> None:
    program.bound.add(node.name)
    program.classes.add(node.name)


def _argument(program: Program, node: ast.arg) -> None:
    program.bound.add(node.arg)
    program.rebound.add(node.arg)
    program.parameters.add(node.arg)


def _handler(program: Program, node: ast.ExceptHandler) -> None:
    if node.name is not None:
        program.bound.add(node.name)
        program.rebound.add(node.name)
        program.caught.add(node.name)


def _text(program: Program, node: ast.Constant) -> None:
    """Collect names in texts: of children and buffers, in a call or an ordered dict."""
    if not isinstance(node.value, str) or not node.value.isidentifier():
        return
    parent = program.parents[node]
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        is_naming = isinstance(parent.func, ast.Attribute) and parent.func.attr in NAMING_CALLS
    elif isinstance(parent, ast.Tuple):
        is_naming = parent.elts[0] is node and len(parent.elts) == 2
    else:
        is_naming = isinstance(parent, ast.Dict) and node in parent.keys
    if is_naming:
        program.attributes.add(node.value)


def _call(program: Program, node: ast.Call) -> None:
    """Collect the fields of ``namedtuple("Point", "x y")``."""
    if program.member_of(node.func) != "collections.namedtuple":
        return
    given = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "field_names")]
    for names in given:
        parts = names.elts if isinstance(names, ast.List | ast.Tuple) else [names]
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                fields = part.value.replace(",", " ").split()
                program.attributes.update(each for each in fields if not each.startswith("_"))


def _assignment(program: Program, node: ast.Assign | ast.withitem) -> None:
    made, targets = (
        (node.value, node.targets)
        if isinstance(node, ast.Assign)
        else (node.context_expr, [node.optional_vars])
    )
    given = {each.id for each in targets if isinstance(each, ast.Name)}
    if is_file(made) or _names_a_file(program, made):
        program.files |= given
    elif isinstance(made, ast.Constant | ast.JoinedStr):
        program.no_files |= given


def _names_a_file(program: Program, node: ast.AST) -> bool:
    """``PATH = "net.pt"``, ``f"net-{epoch}.pt"``, ``os.path.join("ckpt", "net.pt")``."""
    if isinstance(node, ast.Constant):
        return is_file_name(node.value)
    if isinstance(node, ast.JoinedStr):
        return is_file_name(outline(node))
    return isinstance(node, ast.Call) and program.member_of(node.func) == "os.path.join"


def outline(text: ast.JoinedStr) -> str:
    """Write an f-string with a digit for each value; the facade checks the real name."""
    parts = [each.value if isinstance(each, ast.Constant) else "0" for each in text.values]
    return "".join(map(str, parts))


def is_file(node: ast.AST) -> bool:
    """Return whether a node is ``io.BytesIO(…)`` or ``Path(…)``, by either name."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Attribute):
        return called.attr in FILES and isinstance(called.value, ast.Name)
    return isinstance(called, ast.Name) and called.id in FILES


_COLLECTORS: dict[type[ast.AST], Callable[[Program, Any], None]] = {
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.FunctionDef: _function,
    ast.ClassDef: _class,
    ast.arg: _argument,
    ast.ExceptHandler: _handler,
    ast.Constant: _text,
    ast.Call: _call,
    ast.Assign: _assignment,
    ast.withitem: _assignment,
}
