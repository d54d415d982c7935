"""Rules for names, for attributes behind a dot, and for imports."""

import ast
import builtins
import functools
import string

from playground.sandbox.check.program import Program, stem
from playground.sandbox.check.violation import nearest
from playground.sandbox.facade.allowed_names import (
    ADDRESSES,
    ATTRIBUTES,
    CLASS_FUNCTIONS,
    CONSTANTS,
    ERRORS,
    FRAMES,
    FUNCTIONS,
    IMPORTS,
    MODULES,
    PRIVATE,
    RESERVED,
    UNINITIALISED,
    words,
)

KNOWN = FUNCTIONS | ERRORS | CONSTANTS | {"_", "__name__"}
PYTHONS_OWN = frozenset(dir(builtins)) | {"help", "quit", "exit", "copyright", "credits", "license"}
FREE = words(
    """
    input id format vars hash hex oct ord chr bin
    """
)
"""Python's own that do no harm as variables; ``input`` is one in half of all textbooks."""

CALLED_ONLY = frozenset({"type", "getattr", "hasattr", "super", "print"})
REASONS = {
    "files": "open",
    "code_from_text": "eval exec compile __import__ __loader__ __build_class__",
    "looking_around": "globals locals vars dir object id memoryview help __builtins__ __spec__",
    "setting_by_name": "setattr delattr",
    "no_input": "input",
    "ending": "quit exit breakpoint SystemExit KeyboardInterrupt",
    "base_error": "BaseException BaseExceptionGroup ExceptionGroup GeneratorExit",
}
SENTENCES = {name: id for id, names in REASONS.items() for name in names.split()}
REFUSALS = (
    dict.fromkeys(FRAMES, "looking_inside")
    | dict.fromkeys(ADDRESSES, "address")
    | dict.fromkeys(UNINITIALISED, "uninitialised")
)
NOT_INSTALLED = words(
    "IPython d2l gradio jax keras pandas PIL scipy seaborn sklearn tensorflow torchaudio torchtext"
    " torchvision tqdm transformers"
)  # what textbooks import, and the lab does not have
LITTLE = {
    "os": ("environ", "makedirs", "mkdir", "path"),
    "pathlib": ("Path",),
    "shutil": ("which",),
    "subprocess": ("run",),
}
"""Modules of which little is here; an import of one that uses none of it is refused."""


def check_name(program: Program, node: ast.Name) -> None:
    """Check a name that is read, bound or deleted."""
    if isinstance(node.ctx, ast.Store | ast.Del):
        bind(program, node, node.id)
        return
    name = node.id
    if name in program.roots:
        _module_name(program, node)
    elif name in program.bound or name in program.imported:
        return  # that it may be bound at all is judged where it is
    elif name in CALLED_ONLY:
        _called_only(program, node)
    elif name not in KNOWN and not (name in CLASS_FUNCTIONS and _is_in_class_head(program, node)):
        _unknown(program, node)


def _unknown(program: Program, node: ast.Name) -> None:
    """Refuse a known name; of an unknown one Python says so when the cell runs."""
    name = node.id
    if not name.isascii():
        program.refuse("alphabet", node, name=name)
    elif name in PYTHONS_OWN:
        program.refuse(SENTENCES.get(name, "builtin"), node, name=name)
    elif name.startswith("_"):
        program.refuse("underscore", node, name=name)


def bind(program: Program, node: ast.AST, name: str) -> None:
    """Check a name that is bound, in whatever way."""
    if not name.isascii():
        program.refuse("alphabet", node, name=name)
    elif name.startswith("_") and name != "_":
        program.refuse("underscore", node, name=name)
    elif name in program.roots:
        program.refuse("rebinds_module", node, name=name)
    elif name in FREE:
        return
    elif name in PYTHONS_OWN or name in CLASS_FUNCTIONS:
        program.refuse("rebinds", node, name=name)


def _module_name(program: Program, node: ast.expr) -> None:
    """Refuse a module without a dot behind it."""
    if not isinstance(program.parents[node], ast.Attribute):
        refuse_module(program, node, ast.unparse(node))


def refuse_module(program: Program, node: ast.expr, name: str) -> None:
    """Refuse a module as a value, unless ``getattr`` looks a listed name up in it."""
    parent = program.parents[node]
    is_looked_into = (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in {"getattr", "hasattr"}
        and parent.args[:1] == [node]
    )
    if not is_looked_into:
        program.refuse("module_value", node, name=name)


def _called_only(program: Program, node: ast.Name) -> None:
    parent = program.parents[node]
    if not (isinstance(parent, ast.Call) and parent.func is node):
        program.refuse("called_only", node, name=node.id)


def _is_in_class_head(program: Program, node: ast.Name) -> bool:
    """Return whether a name is a base or a decorator, which another rule checks."""
    parent = program.parents[node]
    if isinstance(parent, ast.ClassDef):
        return node in parent.bases
    return isinstance(parent, ast.FunctionDef) and node in parent.decorator_list


def attribute(program: Program, node: ast.Attribute) -> None:
    """Check one dot with the name behind it."""
    if node.value in program.refused:
        program.refused.add(node)  # one violation for a chain
        return
    if not node.attr.isascii():
        program.refuse("alphabet", node, name=node.attr)
        return
    first = stem(node)
    if isinstance(first, ast.Name) and first.id in program.missing - program.bound:
        return  # the import is refused
    module = program.module_of(node.value)
    if module is not None:
        _member(program, node, module)
    elif node.attr.startswith("_") and not is_own_private(program, node):
        _underscore(program, node)
    elif node.attr == "format":
        _format(program, node)
    elif node.attr in REFUSALS:
        program.refuse(REFUSALS[node.attr], node, name=node.attr)
    elif node.attr not in ATTRIBUTES and node.attr not in program.attributes:
        _unknown_attribute(program, node)
    elif not isinstance(node.ctx, ast.Load):
        _store(program, node)


def _member(program: Program, node: ast.Attribute, module: str) -> None:
    """Check an attribute of a module: listed ones only, and none is set."""
    written = ast.unparse(node)
    if not isinstance(node.ctx, ast.Load):
        program.refuse("stores_in_module", node, name=written)
    elif node.attr in MODULES[module].parts:
        if not isinstance(program.parents[node], ast.Attribute):
            refuse_module(program, node, written)
    elif node.attr in MODULES[module].members or node.attr == "__version__":
        if node.attr == "__version__" and module not in {"torch", "numpy"}:
            program.refuse("underscore", node, name=node.attr)
    elif node.attr.startswith("_"):
        program.refuse("underscore", node, name=node.attr)
    else:
        refuse_member(program, node, module, node.attr, written)


def refuse_member(program: Program, node: ast.AST, module: str, name: str, written: str) -> None:
    """Refuse a member that a module does not have here; suggest a similar one."""
    known = MODULES[module]
    meant = functools.partial(nearest, name, known.members, known.parts)
    program.refuse("not_offered", node, meant, name=written)


def is_own_private(program: Program, node: ast.Attribute) -> bool:
    """Return whether only the cell's own classes define a private attribute such as ``_count``."""
    name = node.attr
    is_private = name[1:2].isalpha() or (name[:2] == "__" and not name.endswith("__"))
    return is_private and name in program.privates - RESERVED and _is_own(program, node.value)


def _underscore(program: Program, node: ast.Attribute) -> None:
    parent = program.parents[node]
    is_read = isinstance(node.ctx, ast.Load)
    if node.attr in {"__name__", "__doc__"}:
        is_fine = is_read
    elif node.attr == "__class__":
        is_name = isinstance(parent, ast.Attribute) and parent.attr == "__name__"
        is_fine = is_read and is_name and _is_own(program, node.value)
    elif node.attr == "__init__":
        is_fine = (
            isinstance(parent, ast.Call) and parent.func is node and _is_base(program, node.value)
        )
    else:
        is_fine = is_read and node.attr in PRIVATE and _is_own(program, node.value)
    if not is_fine:
        program.refuse("underscore", node, name=node.attr)


def _is_own(program: Program, node: ast.AST) -> bool:
    """Return whether an expression begins with a name of the cell: ``net``, ``self.layers[0]``."""
    first = stem(node)
    return isinstance(first, ast.Name) and first.id in program.bound


def _is_base(program: Program, node: ast.AST) -> bool:
    """``super()``, or the base that a class names: ``nn.Module.__init__(self)``."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    if isinstance(node, ast.Name):
        return node.id in program.classes or node.id in program.imported
    return program.member_of(node) is not None


def _format(program: Program, node: ast.Attribute) -> None:
    """``"{} {:.2f}".format(a, b)``: of a text that stands there, without dots in its braces."""
    text = node.value.value if isinstance(node.value, ast.Constant) else None
    if not isinstance(text, str) or not isinstance(program.parents[node], ast.Call):
        program.refuse("format_of_name", node)
    elif not has_plain_fields(text):
        program.refuse("format_fields", node)


def has_plain_fields(text: str) -> bool:
    """Return whether the braces of a format text name arguments only, no attributes or items.

    >>> has_plain_fields("{:.2f} {name}"), has_plain_fields("{0.__class__}")
    (True, False)
    """
    try:
        fields = [(name, spec) for _, name, spec, _ in string.Formatter().parse(text)]
    except ValueError:
        return True  # Python says what is wrong with it when it runs
    return all(
        (not name or name.isidentifier() or name.isdigit())
        and not name.startswith("_")
        and (not spec or has_plain_fields(spec))
        for name, spec in fields
        if name is not None
    )


def _unknown_attribute(program: Program, node: ast.Attribute) -> None:
    meant = functools.partial(nearest, node.attr, ATTRIBUTES, program.attributes)
    program.refuse("attribute", node, meant, name=node.attr)


def _store(program: Program, node: ast.Attribute) -> None:
    """Attributes are given to what the cell has made: ``self.x``, ``net[0].weight.data``."""
    first = stem(node)
    if not isinstance(first, ast.Name) or first.id in program.roots or first.id in program.imported:
        program.refuse("stores", node, name=ast.unparse(node))


def import_module(program: Program, node: ast.Import) -> None:
    """Check ``import torch.nn.functional as F``."""
    if not _is_at_the_top(program, node):
        return
    for alias in node.names:
        if alias.name not in IMPORTS and alias.name not in MODULES:
            _refuse_import(program, node, alias.name)
        elif alias.asname is not None:
            if alias.asname not in IMPORTS.get(alias.name, ()):
                _refuse_alias(program, node, alias)
        elif alias.name in LITTLE and not _uses(program, alias.name):
            member = f"{alias.name}.{LITTLE[alias.name][0]}"
            program.refuse("import_of_little", node, name=alias.name, member=member)


def import_from(program: Program, node: ast.ImportFrom) -> None:
    """Check ``from torch import nn``."""
    if not _is_at_the_top(program, node):
        return
    module = MODULES.get(node.module or "")
    if node.level or module is None or node.module in {"os", "shutil", "subprocess"}:
        _refuse_import(program, node, "." * node.level + (node.module or ""))
        return
    for alias in node.names:
        if alias.name == "*":
            program.refuse("import_star", node, name=node.module or "")
        elif alias.name in module.parts:
            names = IMPORTS.get(f"{node.module}.{alias.name}", frozenset())
            if alias.asname not in {None, alias.name} and alias.asname not in names:
                _refuse_alias(program, node, alias)
        elif alias.name not in module.members:
            written = f"{node.module}.{alias.name}"
            refuse_member(program, node, node.module or "", alias.name, written)
        elif alias.asname not in {None, alias.name}:
            _refuse_alias(program, node, alias)


def _refuse_import(program: Program, node: ast.stmt, name: str) -> None:
    is_elsewhere = name.partition(".")[0] in NOT_INSTALLED
    program.refuse("import_elsewhere" if is_elsewhere else "import", node, name=name)


def _is_at_the_top(program: Program, node: ast.stmt) -> bool:
    is_top = isinstance(program.parents[node], ast.Module)
    if not is_top:
        program.refuse("import_inside", node)
    return is_top


def _refuse_alias(program: Program, node: ast.AST, alias: ast.alias) -> None:
    program.refuse("import_as", node, name=alias.name, given=alias.asname or "")


def _uses(program: Program, module: str) -> bool:
    """Something that is here of a module stands in the cell."""
    return any(
        isinstance(node, ast.Attribute)
        and program.module_of(node.value) == module
        and node.attr in LITTLE[module]
        for node in program.nodes
    )
