"""The symbol table of a program: what it binds and imports, and which attributes it defines."""

import ast
from collections.abc import Callable
from typing import Any

from playground.sandbox.allowed_names import MODULES, PREBOUND, part_of
from playground.sandbox.check.program import Program

NAMING_METHODS = frozenset(
    {"add_module", "register_module", "register_buffer", "register_parameter"}
)
BY_NAME = frozenset({"setattr", "getattr", "hasattr"})
HYPERPARAMETERS = "save_hyperparameters"  # of d2l: the parameters of a method become attributes


def collect_symbols(tree: ast.Module) -> Program:
    """Build the symbol table of a syntax tree."""
    nodes, parents = _walk(tree)
    program = Program(nodes, parents, roots=dict(PREBOUND))
    for node in nodes:
        collect = _COLLECTORS.get(type(node))
        if collect is not None:
            collect(program, node)
    rebound = program.bound & program.roots.keys()
    program.rebound_modules = rebound & program.imported_roots
    for name in rebound:
        del program.roots[name]  # which of both it is, the facade knows when the cell runs
    program.is_dynamic |= any(
        isinstance(node, ast.Name)
        and node.id in program.roots
        and not isinstance(parents[node], ast.Attribute)
        for node in nodes
    )  # a module as a value, whose members stand behind other names
    return program


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
        top = alias.name.split(".")[0]
        if alias.name not in MODULES:
            program.missing.add(alias.asname or top)
        elif alias.asname is not None:
            _bind_module(program, alias.asname, alias.name)
        else:
            _bind_module(program, top, top)


def _import_from(program: Program, node: ast.ImportFrom) -> None:
    module = MODULES.get(node.module or "")
    for alias in node.names:
        name = alias.asname or alias.name
        if module is None:
            program.missing.add(name)
        elif alias.name == "*":
            program.imported |= {each: f"{node.module}.{each}" for each in module.members}
            for part in module.parts:
                _bind_module(program, part, part_of(node.module or "", part))
        elif alias.name in module.parts:
            _bind_module(program, name, part_of(node.module or "", alias.name))
        else:
            program.imported[name] = f"{node.module}.{alias.name}"


def _bind_module(program: Program, name: str, module: str) -> None:
    program.roots[name] = module
    program.is_dynamic |= module == "pandas"  # whose columns are attributes of a table
    program.imported_roots.add(name)


def _name(program: Program, node: ast.Name) -> None:
    if isinstance(node.ctx, ast.Store):
        if isinstance(program.statement_around(node), ast.ClassDef):
            program.attributes.add(node.id)
        else:
            program.bound.add(node.id)


def _attribute(program: Program, node: ast.Attribute) -> None:
    if isinstance(node.ctx, ast.Store):
        program.attributes.add(node.attr)
    elif node.attr == "__dict__":
        program.is_dynamic = True


def _function(program: Program, node: ast.FunctionDef) -> None:
    if node.decorator_list or isinstance(program.parents[node], ast.ClassDef):
        program.attributes.add(node.name)  # a decorator may make it a method, as d2l's does
    if not isinstance(program.parents[node], ast.ClassDef):
        program.bound.add(node.name)


def _class(program: Program, node: ast.ClassDef) -> None:
    program.bound.add(node.name)
    if isinstance(program.parents[node], ast.ClassDef):
        program.attributes.add(node.name)


def _argument(program: Program, node: ast.arg) -> None:
    program.bound.add(node.arg)


def _captured(
    program: Program, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.MatchMapping
) -> None:
    name = node.rest if isinstance(node, ast.MatchMapping) else node.name
    if name is not None:
        program.bound.add(name)


def _text(program: Program, node: ast.Constant) -> None:
    """Collect names in texts: of children and buffers, in a call or an ordered dict."""
    if not isinstance(node.value, str) or not node.value.isidentifier():
        return
    parent = program.parents[node]
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        is_naming = parent.func.id in BY_NAME and parent.args[1:2] == [node]
    elif isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute):
        is_naming = parent.func.attr in NAMING_METHODS and parent.args[:1] == [node]
    elif isinstance(parent, ast.Tuple):
        is_naming = parent.elts[0] is node and len(parent.elts) == 2
    else:
        is_naming = isinstance(parent, ast.Dict) and node in parent.keys
    if is_naming:
        program.attributes.add(node.value)


def _call(program: Program, node: ast.Call) -> None:
    """Collect the fields of ``namedtuple("Point", "x y")`` and of ``self.save_hyperparameters()``.

    What ``setattr`` sets under another name than a literal one, no table can know.
    """
    called = node.func
    if isinstance(called, ast.Name):
        if called.id in {"setattr", "vars"} and not (
            len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
        ):
            program.is_dynamic = True
    elif isinstance(called, ast.Attribute) and called.attr == HYPERPARAMETERS:
        for around in program.around(node):
            if isinstance(around, ast.FunctionDef):
                program.attributes |= {each.arg for each in _parameters(around)}
    if program.member_of(called) != "collections.namedtuple":
        return
    given = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "field_names")]
    for names in given:
        parts = names.elts if isinstance(names, ast.List | ast.Tuple) else [names]
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                fields = part.value.replace(",", " ").split()
                program.attributes.update(each for each in fields if not each.startswith("_"))


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


_COLLECTORS: dict[type[ast.AST], Callable[[Program, Any], None]] = {
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.FunctionDef: _function,
    ast.ClassDef: _class,
    ast.arg: _argument,
    ast.ExceptHandler: _captured,
    ast.MatchAs: _captured,
    ast.MatchStar: _captured,
    ast.MatchMapping: _captured,
    ast.Constant: _text,
    ast.Call: _call,
}
