"""Rules for statements, functions, classes and calls.

A call is refused if it can do more than a cell needs, or is done here in another way.
"""

import ast
from collections.abc import Callable

from playground.sandbox.allowed_names import (
    ERRORS,
    MODULES,
    SPECIAL_METHODS,
    SPECIAL_NAMES,
    is_path,
    is_timed_code,
    words,
)
from playground.sandbox.check.names import PYTHONS_OWN, REFUSALS, bind, is_dunder, refuse_member
from playground.sandbox.check.program import Program, stem

BASES = ERRORS | words("dict frozenset list object set tuple")  # of Python's own classes
BASE_PREFIXES = (
    "abc.",
    "collections.",
    "d2l.torch.",
    "enum.",
    "torch.autograd.Function",
    "torch.nn.",
    "torch.optim.",
    "torch.utils.data.",
    "typing.",
)


def handler(program: Program, node: ast.ExceptHandler) -> None:
    """Check ``except ValueError as error:``."""
    if node.name is not None:
        bind(program, node, node.name)
    if node.type is None:
        program.report("bare_except", node)


def inside_function(program: Program, node: ast.Return | ast.Yield | ast.YieldFrom) -> None:
    """Refuse ``return`` and ``yield`` outside of a function."""
    for around in program.around(node):
        if isinstance(around, ast.FunctionDef | ast.Lambda):
            return
        if isinstance(around, ast.ClassDef):
            break
    program.report("syntax_return", node)


def break_or_continue(program: Program, node: ast.Break | ast.Continue) -> None:
    """Refuse ``break`` and ``continue`` outside of a loop."""
    if not any(isinstance(each, ast.For | ast.While) for each in program.around(node)):
        program.report("syntax_loop", node)


def comprehension(program: Program, node: ast.comprehension) -> None:
    """Refuse ``async for``."""
    if node.is_async:
        program.report("async", node.target)


def define_function(program: Program, node: ast.FunctionDef) -> None:
    """Check the name of a ``def``; of a method only whether Python calls it implicitly."""
    is_method = isinstance(program.parents[node], ast.ClassDef)
    if is_method and is_dunder(node.name):
        if node.name not in SPECIAL_METHODS:
            program.report("special_method", node, name=node.name)
    elif not is_method and node.name not in SPECIAL_METHODS:  # ``@d2l.add_to_class(…)`` takes it
        bind(program, node, node.name)


def define_class(program: Program, node: ast.ClassDef) -> None:
    """Check the name and the bases of a ``class``."""
    bind(program, node, node.name)
    if node.keywords:
        program.report("metaclass", node, name=node.keywords[0].arg or "**")
    for base in node.bases:
        if not _is_base(program, base):
            program.report("base", base, name=ast.unparse(base))


def _is_base(program: Program, node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript | ast.Starred):
        node = node.value  # ``Generic[T]``
    first = stem(node)
    if isinstance(first, ast.Name) and first.id in program.missing | program.bound:
        return True  # the import is refused; or the facade knows the class when the cell runs
    member = program.member_of(node)
    if member is not None:
        return member.startswith(BASE_PREFIXES)
    return isinstance(node, ast.Name) and (node.id in BASES or node.id not in PYTHONS_OWN)


def argument(program: Program, node: ast.arg) -> None:
    """Check the name of a parameter."""
    bind(program, node, node.arg)


def call(program: Program, node: ast.Call) -> None:
    """Check a call of a function by its name or of a module's member."""
    if isinstance(node.func, ast.Name):
        rule = _FUNCTIONS.get(node.func.id)
        if rule is not None and node.func.id not in program.bound:
            rule(program, node)
    member = program.member_of(node.func)
    rule = _MEMBERS.get(member or "")
    if rule is not None:
        rule(program, node)


def keyword(program: Program, node: ast.keyword) -> None:
    """Refuse ``f(__class__=1)``."""
    if node.arg is not None and is_dunder(node.arg):
        program.report("underscore", node, name=node.arg)


def _type(program: Program, node: ast.Call) -> None:
    if len(node.args) == 3:
        program.report("type_of", node)


def _by_name(program: Program, node: ast.Call) -> None:
    """Check a literal name in ``getattr`` and its like, as behind a dot."""
    if len(node.args) < 2 or not isinstance(node.args[1], ast.Constant):
        return
    name, module = node.args[1].value, program.module_of(node.args[0])
    if not isinstance(name, str):
        return
    is_asked = isinstance(node.func, ast.Name) and node.func.id == "hasattr"
    if module is not None:
        known = MODULES[module]
        if name not in known.members | known.parts and not is_asked and len(node.args) == 2:
            refuse_member(program, node, module, name, f"{module}.{name}")
    elif is_dunder(name):
        if name not in SPECIAL_METHODS | SPECIAL_NAMES and not is_asked:
            program.report("underscore", node, name=name)
    elif name in REFUSALS:
        program.report(REFUSALS[name], node, name=name)


def _names(program: Program, node: ast.Call) -> None:
    """Tell that ``globals()`` and ``locals()`` are copies."""
    if isinstance(node.func, ast.Name):
        program.report("names_copied", node, name=node.func.id)


def _input(program: Program, node: ast.Call) -> None:
    program.report("no_input", node)


def word(node: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument; None where it is not given."""
    return next((each.value for each in node.keywords if each.arg == name), None)


def _save(program: Program, node: ast.Call) -> None:
    _check_file(program, node, node.args[1] if len(node.args) > 1 else word(node, "f"))


def _load(program: Program, node: ast.Call) -> None:
    _check_file(program, node, node.args[0] if node.args else word(node, "f"))
    trusting = word(node, "weights_only")
    if trusting is not None and not (isinstance(trusting, ast.Constant) and trusting.value is True):
        program.report("weights_only", trusting)


def _load_array(program: Program, node: ast.Call) -> None:
    _check_file(program, node, node.args[0] if node.args else word(node, "file"))
    trusting = word(node, "allow_pickle")
    if isinstance(trusting, ast.Constant) and trusting.value is not False:
        program.report("allow_pickle", trusting)


def _file(program: Program, node: ast.Call) -> None:
    _check_file(program, node, node.args[0] if node.args else word(node, "file"))


def _path(program: Program, node: ast.Call) -> None:
    for each in node.args:
        _check_file(program, node, each)


def _check_file(program: Program, node: ast.Call, file: ast.expr | None) -> None:
    """Refuse a literal path that leads elsewhere; the facade judges all others."""
    name = file.value if isinstance(file, ast.Constant) else None
    if isinstance(file, ast.JoinedStr):
        parts = [each.value if isinstance(each, ast.Constant) else "0" for each in file.values]
        name = "".join(map(str, parts))
    if name is not None and not is_path(name):
        program.report("file_in_memory", node)


def _run(program: Program, node: ast.Call) -> None:
    """``subprocess.run(["nvidia-smi"])`` alone, which finds no such program here."""
    programs = node.args[0] if len(node.args) == 1 else None
    first = programs.elts[0] if isinstance(programs, ast.List) and programs.elts else None
    if not (isinstance(first, ast.Constant) and first.value == "nvidia-smi"):
        program.report("programs", node)


def _timer(program: Program, node: ast.Call) -> None:
    """Check a timed statement: one plain expression, which is all the facade runs."""
    text = node.args[0] if node.args else word(node, "stmt")
    if word(node, "language") is not None:
        program.report("one_process", node, name="language")
    elif word(node, "setup") is not None or (
        isinstance(text, ast.Constant)
        and not (isinstance(text.value, str) and is_timed_code(text.value))
    ):
        program.report("timer", node)


def _loader(program: Program, node: ast.Call) -> None:
    """``DataLoader(dataset, num_workers=2, pin_memory=True)``, which reads in the process."""
    for name, id in (("num_workers", "loader_num_workers"), ("pin_memory", "loader_pin_memory")):
        given = word(node, name)
        if given is not None and not (isinstance(given, ast.Constant) and not given.value):
            program.report(id, given)


_FUNCTIONS: dict[str, Callable[[Program, ast.Call], None]] = {
    "delattr": _by_name,
    "getattr": _by_name,
    "globals": _names,
    "hasattr": _by_name,
    "input": _input,
    "locals": _names,
    "open": _file,
    "setattr": _by_name,
    "type": _type,
}
_MEMBERS: dict[str, Callable[[Program, ast.Call], None]] = {
    "torch.save": _save,
    "torch.load": _load,
    "numpy.load": _load_array,
    "numpy.save": _file,
    "numpy.savez": _file,
    "numpy.savez_compressed": _file,
    "os.makedirs": _path,
    "os.mkdir": _path,
    "os.path.exists": _path,
    "os.path.getsize": _path,
    "os.path.isfile": _path,
    "os.path.join": _path,
    "pandas.read_csv": _file,
    "pathlib.Path": _path,
    "subprocess.run": _run,
    "zipfile.ZipFile": _path,
    "timeit.timeit": _timer,
    "torch.utils.benchmark.Timer": _timer,
    "torch.utils.data.DataLoader": _loader,
}
