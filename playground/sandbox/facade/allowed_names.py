"""The allow-lists that the check and the facade share: modules, members, attributes, file names.

Imports no torch, since the check runs in the web process.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli

FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}){0,2}")


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set.

    >>> sorted(words("b a"))
    ['a', 'b']
    """
    return frozenset(text.split())


PREBOUND: Mapping[str, str] = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "math": "math",
    "copy": "copy",
}  # what is there without an import: name → module

FUNCTIONS = words(
    """
    abs all any bin bool callable chr dict divmod enumerate filter float frozenset getattr
    hasattr hash hex int isinstance issubclass iter len list map max min next oct ord pow print
    range repr reversed round set slice sorted str sum super tuple type zip
    """
)  # Python's own that a cell may use

CLASS_FUNCTIONS = frozenset({"classmethod", "object", "property", "staticmethod"})
CONSTANTS = frozenset({"Ellipsis", "NotImplemented"})

ERRORS = words(
    """
    ArithmeticError AssertionError AttributeError DeprecationWarning EOFError Exception
    FileNotFoundError FloatingPointError FutureWarning ImportError IndexError KeyError LookupError
    MemoryError ModuleNotFoundError NameError NotImplementedError OSError OverflowError
    RecursionError RuntimeError RuntimeWarning StopIteration TimeoutError TypeError
    UnboundLocalError UserWarning ValueError Warning ZeroDivisionError
    """
)

PRIVATE = frozenset({"_modules", "_buffers", "_parameters"})  # the textbooks look into these
RESERVED = words(
    """
    _C _apply _backward_hooks _backward_pre_hooks _call_impl _compiled_call_impl _forward_hooks
    _forward_hooks_always_called _forward_hooks_with_kwargs _forward_pre_hooks
    _forward_pre_hooks_with_kwargs _get_backward_hooks _get_backward_pre_hooks _get_name
    _is_full_backward_hook _load_from_state_dict
    _load_state_dict_post_hooks _load_state_dict_pre_hooks
    _maybe_warn_non_full_backward_hook _named_members _non_persistent_buffers_set _outer
    _register_load_state_dict_pre_hook _register_state_dict_hook _replicate_for_data_parallel
    _save_to_state_dict _slow_forward _state_dict_hooks _state_dict_pre_hooks _timer _version
    _wrapped_call_impl
    """
)  # private attributes of nn.Module and of the facade: a cell makes none of these its own
FRAMES = words(
    """
    gi_frame gi_code cr_frame cr_code ag_frame f_back f_globals f_locals f_builtins f_code
    tb_frame tb_next with_traceback mro co_code tofile dump dumps ctypes from_file from_buffer
    format_map
    """
)
ADDRESSES = frozenset({"data_ptr", "storage", "set_"})
UNINITIALISED = frozenset({"new_empty", "new_empty_strided", "resize_", "resize_as_"})
CLOSED = FRAMES | ADDRESSES | UNINITIALISED  # attributes of no object, not even of the cell's own
SPECIAL_METHODS = words(
    """
    __call__ __getitem__ __init__ __iter__ __len__ __next__ __post_init__ __repr__ __setitem__
    __str__
    """
)


@dataclass(frozen=True, slots=True)
class Module:
    """One module as a cell sees it.

    Attributes:
        members: Functions, classes and values.
        parts: Modules inside it.
    """

    members: frozenset[str]
    parts: frozenset[str]


def _read() -> tuple[dict[str, Module], dict[str, frozenset[str]], frozenset[str]]:
    text = Path(__file__).with_name("allowed_names.toml").read_text("utf-8")
    tables = tomli.loads(text)
    modules = {
        name: Module(
            frozenset(" ".join(v for k, v in groups.items() if k != "parts").split()),
            frozenset(groups.get("parts", "").split()),
        )
        for name, groups in tables["modules"].items()
    }
    imports = {name: frozenset(names.split()) for name, names in tables["imports"].items()}
    return modules, imports, frozenset(" ".join(tables["attributes"].values()).split())


MODULES, IMPORTS, ATTRIBUTES = _read()
"""Modules by dotted name; the names each may be imported under; what any object may be asked."""


def is_file_name(text: object) -> bool:
    """Return whether a text is a plain name, perhaps in a folder: no root, parent or hidden file.

    >>> is_file_name("data/x-file"), is_file_name("/etc/passwd"), is_file_name("../x")
    (True, False, False)
    """
    return isinstance(text, str) and FILE_NAME.fullmatch(text) is not None


def is_timed_code(text: str) -> bool:
    """Return whether a text is arithmetic on names and listed methods, such as ``A @ B``.

    >>> is_timed_code("A @ B"), is_timed_code("net(X)"), is_timed_code("__import__('os')")
    (True, True, False)
    """
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    plain = (
        ast.Expression | ast.BinOp | ast.operator | ast.UnaryOp | ast.unaryop | ast.expr_context
        | ast.Call | ast.Constant | ast.Tuple | ast.Subscript | ast.Slice | ast.keyword
    )  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if node.id.startswith("_") or node.id in {"eval", "exec", "open", "compile"}:
                return False
        elif isinstance(node, ast.Attribute):
            if node.attr not in ATTRIBUTES or node.attr.startswith("_"):
                return False
        elif not isinstance(node, plain):
            return False
    return True
