"""Rules for calls of what could do more than a cell needs, or is done here in another way."""

import ast
from collections.abc import Callable

from playground.sandbox.check.names import REFUSALS, is_dunder, refuse_member
from playground.sandbox.check.program import Program
from playground.sandbox.facade.allowed_names import (
    MODULES,
    SPECIAL_METHODS,
    SPECIAL_NAMES,
    is_path,
    is_timed_code,
)


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
