"""Rules for statements, for functions and classes, and for literal numbers and texts."""

import ast

from playground.sandbox.check.names import SENTENCES, bind
from playground.sandbox.check.program import Program, stem
from playground.sandbox.check.symbols import is_file
from playground.sandbox.facade.allowed_names import (
    ERRORS,
    FUNCTIONS,
    PRIVATE,
    RESERVED,
    SPECIAL_METHODS,
    words,
)
from playground.sandbox.limits import LIMITS

CONTEXTS = words(
    """
    torch.no_grad torch.inference_mode torch.enable_grad torch.set_grad_enabled torch.device
    torch.autocast torch.amp.autocast torch.cuda.device torch.cuda.stream torch.random.fork_rng
    torch.autograd.no_grad torch.autograd.enable_grad torch.autograd.set_grad_enabled
    torch.autograd.inference_mode torch.autograd.detect_anomaly
    torch.autograd.set_detect_anomaly warnings.catch_warnings
    """
)
OPENED = "zipfile.ZipFile"
CALLED_DECORATORS = frozenset({"torch.no_grad", "torch.inference_mode", "torch.enable_grad"})
OF_FUNCTOOLS = frozenset({"functools.cache", "functools.lru_cache", "functools.wraps"})
PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod", "property"})
BASES = frozenset(
    {"torch.autograd.Function", "torch.utils.data.Dataset", "torch.utils.data.IterableDataset"}
    | {f"enum.{name}" for name in ("Enum", "Flag", "IntEnum", "IntFlag", "StrEnum")}
)
CLASS_DECORATORS = frozenset({"dataclasses.dataclass", "enum.unique"})
BASE_PREFIXES = ("torch.nn.", "torch.optim.", "torch.utils.data.")
SIZED = frozenset(
    f"torch.{name}"
    for name in [
        "arange",
        "empty",
        "eye",
        "full",
        "linspace",
        "ones",
        "rand",
        "randint",
        "randn",
        "randperm",
        "zeros",
    ]
)
"""What makes tensors: torch itself judges their sizes, and its refusal is worth reading."""

MAX_DOCSTRING = 4  # times as long as another text


def with_item(program: Program, node: ast.withitem) -> None:
    """Check ``with torch.no_grad():``; only a file or an archive in memory has an ``as``."""
    made = node.context_expr
    called = made.func if isinstance(made, ast.Call) else None
    if is_file(made) or (called is not None and program.member_of(called) == OPENED):
        if node.optional_vars is not None and not isinstance(node.optional_vars, ast.Name):
            program.refuse("with_as", made)
    elif called is None or program.member_of(called) not in CONTEXTS:
        if isinstance(called, ast.Name) and called.id in SENTENCES:
            return  # the name itself is refused, with a sentence that says more
        program.refuse("with", made, name=ast.unparse(made))
    elif node.optional_vars is not None:
        program.refuse("with_as", made)


def handler(program: Program, node: ast.ExceptHandler) -> None:
    """Check ``except ValueError as error:``."""
    if node.name is not None:
        bind(program, node, node.name)
    if node.type is None:
        program.refuse("bare_except", node)
        return
    types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    for each in types:
        is_told = isinstance(each, ast.Name) and each.id in SENTENCES
        if not is_error(program, each) and not is_told:
            program.refuse("except", each, name=ast.unparse(each))


def raise_error(program: Program, node: ast.Raise) -> None:
    """Check ``raise ValueError("…")``, or the caught error raised again."""
    if node.exc is None:
        return
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    is_again = isinstance(raised, ast.Name) and raised.id in program.caught
    is_told = isinstance(raised, ast.Name) and raised.id in SENTENCES
    if not is_error(program, raised) and not is_again and not is_told:
        program.refuse("raise", raised, name=ast.unparse(raised))


def delete(program: Program, node: ast.Delete) -> None:
    """Check ``del x``, ``del state["bias"]``, ``del layer.weight``: objects of the cell only."""
    for target in node.targets:
        first = stem(target)
        if not isinstance(first, ast.Name) or first.id in program.imported:
            program.refuse("delete", target)


def yield_value(program: Program, node: ast.Yield) -> None:
    """Check ``yield batch``: a statement in a loop of a function, as in a data reader."""
    is_statement = isinstance(program.parents[node], ast.Expr)
    is_in_loop = False
    for around in program.around(node):
        if isinstance(around, ast.For | ast.While):
            is_in_loop = True
        elif isinstance(around, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            break
    if node.value is None or not is_statement or not is_in_loop:
        program.refuse("yield", node)


def return_value(program: Program, node: ast.Return) -> None:
    """Refuse ``return`` outside of a function."""
    if not any(isinstance(each, ast.FunctionDef) for each in program.around(node)):
        program.refuse("syntax_return", node)


def break_or_continue(program: Program, node: ast.Break | ast.Continue) -> None:
    """Refuse ``break`` and ``continue`` outside of a loop."""
    if not any(isinstance(each, ast.For | ast.While) for each in program.around(node)):
        program.refuse("syntax_loop", node)


def subscript(program: Program, node: ast.Subscript) -> None:
    """Check ``x[i] = …``: objects of the cell and ``os.environ`` only."""
    if isinstance(node.ctx, ast.Load):
        return
    first = stem(node)
    is_environment = program.member_of(node.value) == "os.environ"
    is_own = isinstance(first, ast.Name) and first.id not in program.roots
    if not is_environment and (
        not is_own or isinstance(first, ast.Name) and first.id in program.imported
    ):
        program.refuse("stores", node, name=ast.unparse(node))


def comprehension(program: Program, node: ast.comprehension) -> None:
    """Refuse ``async for``."""
    if node.is_async:
        program.refuse("async", node.target)


def define_function(program: Program, node: ast.FunctionDef) -> None:
    """Check the name and the decorators of a ``def``."""
    is_method = isinstance(program.parents[node], ast.ClassDef)
    name = node.name
    if is_method and name in SPECIAL_METHODS:
        pass
    elif is_method and name.startswith("__") and name.endswith("__"):
        program.refuse("special_method", node, name=name)
    elif is_method and name[:1] == "_" and name != "_" and name not in PRIVATE | RESERVED:
        pass  # a private method of the cell's own class
    elif not is_method or name.startswith("_") or not name.isascii():
        bind(program, node, name)
    for decorator in node.decorator_list:
        if not _is_fine_on_function(program, decorator) and not _is_missing(program, decorator):
            program.refuse("decorator", decorator, name=ast.unparse(decorator))


def _is_fine_on_function(program: Program, node: ast.expr) -> bool:
    made = node.func if isinstance(node, ast.Call) else node
    if program.member_of(made) in OF_FUNCTOOLS or _is_own_function(program, made):
        return True
    if isinstance(node, ast.Call):
        return program.member_of(made) in CALLED_DECORATORS and not node.args
    if isinstance(node, ast.Attribute):
        return node.attr == "setter" and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name) and node.id in PLAIN_DECORATORS


def _is_missing(program: Program, node: ast.expr) -> bool:
    """Return whether a name comes from a refused import."""
    first = stem(node)
    return isinstance(first, ast.Name) and first.id in program.missing


def _is_own_function(program: Program, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in program.functions


def define_class(program: Program, node: ast.ClassDef) -> None:
    """Check the name, the bases and the decorators of a ``class``."""
    bind(program, node, node.name)
    if node.keywords:
        program.refuse("metaclass", node, name=node.keywords[0].arg or "**")
    for base in node.bases:
        if not _is_base(program, base) and not _is_missing(program, base):
            program.refuse("base", base, name=ast.unparse(base))
    for decorator in node.decorator_list:
        made = decorator.func if isinstance(decorator, ast.Call) else decorator
        if program.member_of(made) not in CLASS_DECORATORS:
            program.refuse("decorator", decorator, name=ast.unparse(decorator))


def _is_base(program: Program, node: ast.expr) -> bool:
    if isinstance(node, ast.Name) and node.id in program.rebound:
        return False  # the class is not known
    if isinstance(node, ast.Name) and node.id not in program.imported:
        return node.id in program.classes or node.id in ERRORS or node.id == "object"
    member = program.member_of(node) or ""
    return member in BASES or (member.startswith(BASE_PREFIXES) and member[-1] != "_")


def argument(program: Program, node: ast.arg) -> None:
    """Check the name of a parameter."""
    bind(program, node, node.arg)


def is_error(program: Program, node: ast.AST) -> bool:
    """Return whether a node names an error: a listed one, torch's or the cell's own."""
    if isinstance(node, ast.Name) and node.id not in program.imported:
        return node.id in (ERRORS - FUNCTIONS) | {"NotImplemented"} or node.id in program.classes
    member = program.member_of(node) or ""
    return member.endswith("Error")


def constant(program: Program, node: ast.Constant) -> None:
    """Check a literal number or text."""
    value = node.value
    if isinstance(value, bytes):
        program.refuse("bytes", node)
    elif isinstance(value, complex):
        program.refuse("complex", node)
    elif isinstance(value, int) and value > LIMITS.integer_literal:
        parent = program.parents[node]
        if not (isinstance(parent, ast.Call) and program.member_of(parent.func) in SIZED):
            program.refuse("integer", node, most=f"{LIMITS.integer_literal:,}")
    elif isinstance(value, str) and len(value) > LIMITS.string_literal:
        is_docstring = isinstance(program.parents[node], ast.Expr)
        if not is_docstring or len(value) > MAX_DOCSTRING * LIMITS.string_literal:
            program.refuse("string", node, given=str(len(value)), most=str(LIMITS.string_literal))
