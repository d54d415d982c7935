"""Rules for calls of what could do more than a cell needs: types by name, files, code as text."""

import ast
from collections.abc import Callable

from playground.sandbox.check.names import REFUSALS, refuse_member
from playground.sandbox.check.program import Program
from playground.sandbox.check.symbols import is_file, outline
from playground.sandbox.facade.allowed_names import (
    ATTRIBUTES,
    MODULES,
    PRIVATE,
    is_file_name,
    is_timed_code,
)

PRINT_WORDS = frozenset({"sep", "end", "flush"})
BY_NAME = frozenset(
    {"torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.optim.lr_scheduler"}
)  # where a layer, a loss, an optimizer may be chosen by a text that a variable holds
OWNERS = ast.Name | ast.Attribute | ast.Subscript
SMALL_WORDS = frozenset({"map_location", "weights_only"})
ARCHIVE_WORDS = frozenset({"file", "mode", "compression"})


def call(program: Program, node: ast.Call) -> None:
    """Check a call of a function by its name or of a module's member."""
    for keyword in node.keywords:
        if keyword.arg is not None and keyword.arg.startswith("_"):
            program.refuse("underscore", keyword, name=keyword.arg)
    if isinstance(node.func, ast.Name):
        rule = _FUNCTIONS.get(node.func.id)
        if rule is not None and node.func.id not in program.bound:
            rule(program, node)
    member = program.member_of(node.func)
    if member is not None:
        rule = _MEMBERS.get(member)
        if rule is not None:
            rule(program, node)


def _print(program: Program, node: ast.Call) -> None:
    for keyword in node.keywords:
        if keyword.arg not in PRINT_WORDS:
            program.refuse("print_word", keyword, name=keyword.arg or "**")


def _type(program: Program, node: ast.Call) -> None:
    """``type(x)`` to look at or to compare; not to call, nor to make a class."""
    is_one = len(node.args) == 1 and not node.keywords
    if not is_one or _is_type_call(node.args[0]):
        program.refuse("type_of", node)
        return
    parent = program.parents[node]
    looked_at = (
        ast.Compare
        | ast.FormattedValue
        | ast.Expr
        | ast.Tuple
        | ast.List
        | ast.Set
        | ast.Dict
        | ast.ListComp
        | ast.SetComp
        | ast.GeneratorExp
    )
    if isinstance(parent, ast.Attribute):
        is_looked_at = parent.attr == "__name__"
    elif isinstance(parent, ast.Call):
        called = parent.func
        is_looked_at = isinstance(called, ast.Name) and called.id in {"print", "repr", "str", "set"}
    else:
        is_looked_at = isinstance(parent, looked_at)
        if isinstance(parent, ast.Expr) and isinstance(node.args[0], ast.Constant):
            is_looked_at = False  # of no use
    if not is_looked_at:
        program.refuse("type_of", node)


def _is_type_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def _getattr(program: Program, node: ast.Call) -> None:
    """Check ``getattr``: a literal name, as behind a dot, or any name of some modules."""
    if not 2 <= len(node.args) <= 3 or node.keywords:
        program.refuse("getattr", node)
        return
    owner, name = node.args[0], node.args[1]
    text = name.value if isinstance(name, ast.Constant) else None
    module = program.module_of(owner)
    if module is not None:
        if isinstance(text, str):
            if text not in MODULES[module].members:
                refuse_member(program, node, module, text, f"{module}.{text}")
        elif module not in BY_NAME:
            program.refuse("getattr", node)
    elif not isinstance(text, str) or not isinstance(
        owner, ast.Name | ast.Attribute | ast.Subscript
    ):
        program.refuse("getattr", node)
    elif text.startswith("_") and text not in PRIVATE:
        program.refuse("underscore", node, name=text)
    elif text in REFUSALS or text == "format":
        program.refuse(REFUSALS.get(text, "format_of_name"), node, name=text)
    elif text not in ATTRIBUTES and text not in program.attributes:
        program.refuse("attribute", node, name=text)


def _super(program: Program, node: ast.Call) -> None:
    """``super()`` or ``super(Net, self)``, with a method behind it."""
    is_plain = not node.args and not node.keywords
    is_old = len(node.args) == 2 and all(isinstance(each, ast.Name) for each in node.args)
    if not (is_plain or is_old) or not isinstance(program.parents[node], ast.Attribute):
        program.refuse("super", node)


def _unfilled(program: Program, node: ast.Call) -> None:
    """``np.ndarray((2, 3))``, which shows what was in memory."""
    program.refuse("uninitialised", node, name="ndarray")


def _save(program: Program, node: ast.Call) -> None:
    file = node.args[1] if len(node.args) > 1 else _word(node, "f")
    _check_file(program, node, file)
    for keyword in node.keywords:
        if keyword.arg not in {"obj", "f"}:
            program.refuse("save_word", keyword, name=keyword.arg or "**")


def _load(program: Program, node: ast.Call) -> None:
    _check_file(program, node, node.args[0] if node.args else _word(node, "f"))
    for keyword in node.keywords:
        is_trusting = keyword.arg == "weights_only" and not (
            isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        )
        if is_trusting:
            program.refuse("weights_only", keyword)
        elif keyword.arg not in SMALL_WORDS | {"f"}:
            program.refuse("save_word", keyword, name=keyword.arg or "**")


def _word(node: ast.Call, name: str) -> ast.expr | None:
    return next((each.value for each in node.keywords if each.arg == name), None)


def _check_file(program: Program, node: ast.Call, file: ast.expr | None) -> None:
    """Check a file: an ``io.BytesIO()`` of the cell, a plain name, or a parameter."""
    is_known = isinstance(file, ast.Name) and file.id in program.files | program.parameters
    is_own = isinstance(file, ast.Attribute) and file.attr in program.attributes
    is_named = isinstance(file, ast.Constant) and is_file_name(file.value)
    is_composed = isinstance(file, ast.JoinedStr) and is_file_name(outline(file))
    if isinstance(file, ast.Call) and program.member_of(file.func) == "os.path.join":
        is_composed = True  # its parts are judged with it
    if file is None or not (is_known or is_own or is_named or is_composed or is_file(file)):
        program.refuse("file_in_memory", node)


def _join(program: Program, node: ast.Call) -> None:
    """``os.path.join("ckpt", "net.pt")``: of plain names."""
    for each in node.args:
        is_name = isinstance(each, ast.Constant) and is_file_name(each.value)
        is_known = isinstance(each, ast.Name) and each.id in program.files | program.parameters
        is_composed = isinstance(each, ast.JoinedStr) and is_file_name(outline(each))
        if not (is_name or is_known or is_composed):
            program.refuse("file_in_memory", node)
            return


def _path(program: Program, node: ast.Call) -> None:
    """Check a function of ``os`` or a ``Path``: its one file is a literal name."""
    if len(node.args) != 1 or any(keyword.arg != "exist_ok" for keyword in node.keywords):
        program.refuse("file_in_memory", node)
    elif not (isinstance(node.args[0], ast.Name) and node.args[0].id in program.looped):
        _check_file(program, node, node.args[0])


def _archive(program: Program, node: ast.Call) -> None:
    """``zipfile.ZipFile("net.pt", "w")``: of a file of the cell; the facade judges the rest."""
    _check_file(program, node, node.args[0] if node.args else _word(node, "file"))
    for keyword in node.keywords:
        if keyword.arg not in ARCHIVE_WORDS:
            program.refuse("save_word", keyword, name=keyword.arg or "**")


def _run(program: Program, node: ast.Call) -> None:
    """``subprocess.run(["nvidia-smi"])`` alone, which finds no such program here."""
    programs = node.args[0] if len(node.args) == 1 else None
    first = programs.elts[0] if isinstance(programs, ast.List) and programs.elts else None
    words = {keyword.arg for keyword in node.keywords}
    is_it = isinstance(first, ast.Constant) and first.value == "nvidia-smi"
    if not is_it or not words <= {"timeout", "check", "capture_output", "text"}:
        program.refuse("programs", node)


def _which(program: Program, node: ast.Call) -> None:
    if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], ast.Constant):
        program.refuse("programs", node)


def _timer(program: Program, node: ast.Call) -> None:
    """Check the timed statement: one plain expression, which is all the facade runs."""
    text = node.args[0] if node.args else _word(node, "stmt")
    words = {keyword.arg for keyword in node.keywords}
    if "language" in words:
        program.refuse("one_process", node, name="language")
    elif (
        not words <= {"stmt", "globals", "num_threads", "label", "sub_label", "description"}
        or not (isinstance(text, ast.Constant) and isinstance(text.value, str))
        or not is_timed_code(text.value)
    ):
        program.refuse("timer", node)


def _loader(program: Program, node: ast.Call) -> None:
    """``DataLoader(dataset, num_workers=2)`` starts processes; the facade judges variables."""
    workers = _word(node, "num_workers")
    if isinstance(workers, ast.Constant) and workers.value != 0:
        program.refuse("one_process", workers, name="num_workers")
    if _word(node, "multiprocessing_context") is not None:
        program.refuse("one_process", node, name="multiprocessing_context")


_FUNCTIONS: dict[str, Callable[[Program, ast.Call], None]] = {
    "print": _print,
    "type": _type,
    "getattr": _getattr,
    "hasattr": _getattr,
    "super": _super,
}
_MEMBERS: dict[str, Callable[[Program, ast.Call], None]] = {
    "numpy.ndarray": _unfilled,
    "torch.save": _save,
    "torch.load": _load,
    "os.makedirs": _path,
    "os.mkdir": _path,
    "os.path.exists": _path,
    "os.path.getsize": _path,
    "os.path.isfile": _path,
    "os.path.join": _join,
    "pathlib.Path": _path,
    "subprocess.run": _run,
    "shutil.which": _which,
    "zipfile.ZipFile": _archive,
    "torch.utils.benchmark.Timer": _timer,
    "torch.utils.data.DataLoader": _loader,
}
