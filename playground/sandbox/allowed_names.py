"""The allow-lists that the check and the facade share: modules, members, attributes, file names.

Imports no torch, since the check runs in the web process.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli

ABOVE = re.compile(r"(\.{1,2}(/+|$))*")  # matches the beginning of any text
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
    abs all any ascii bin bool bytearray bytes callable chr classmethod complex delattr dict dir
    divmod enumerate filter float format frozenset getattr globals hasattr hash help hex id input
    int isinstance issubclass iter len list locals map max min next object oct open ord pow print
    property range repr reversed round set setattr slice sorted staticmethod str sum super tuple
    type vars zip
    """
)  # Python's own that a cell may use

CONSTANTS = frozenset({"Ellipsis", "NotImplemented"})

ERRORS = words(
    """
    ArithmeticError AssertionError AttributeError BufferError DeprecationWarning EOFError Exception
    FileExistsError FileNotFoundError FloatingPointError FutureWarning ImportError IndexError
    KeyError LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError
    OverflowError PermissionError RecursionError ReferenceError RuntimeError RuntimeWarning
    StopIteration SyntaxError TimeoutError TypeError UnboundLocalError UnicodeDecodeError
    UnicodeEncodeError UnicodeError UserWarning ValueError Warning ZeroDivisionError
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
    """
)
ADDRESSES = frozenset({"set_"})
UNINITIALISED = frozenset({"new_empty", "new_empty_strided", "resize_", "resize_as_"})
CLOSED = FRAMES | ADDRESSES | UNINITIALISED  # attributes of no object, not even of the cell's own
NAMEDTUPLE = frozenset({"_asdict", "_field_defaults", "_fields", "_make", "_replace"})
SPECIAL_METHODS = words(
    """
    __abs__ __add__ __and__ __bool__ __bytes__ __call__ __ceil__ __complex__ __contains__
    __delitem__ __divmod__ __enter__ __eq__ __exit__ __float__ __floor__ __floordiv__ __format__
    __ge__ __getitem__ __gt__ __hash__ __iadd__ __iand__ __ifloordiv__ __ilshift__ __imatmul__
    __imod__ __imul__ __index__ __init__ __int__ __invert__ __ior__ __ipow__ __irshift__ __isub__
    __iter__ __itruediv__ __ixor__ __le__ __len__ __lshift__ __lt__ __matmul__ __missing__ __mod__
    __mul__ __ne__ __neg__ __next__ __or__ __pos__ __post_init__ __pow__ __radd__ __rand__
    __rdivmod__ __repr__ __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rmul__
    __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __setitem__
    __str__ __sub__ __truediv__ __trunc__ __xor__
    """
)
"""Names that the classes of a cell may define and that may be read of any object. Each works on the
object itself. Not here is what finds other attributes (``__getattr__``, ``__get__``), what NumPy,
torch, ``copy`` and ``pickle`` obey (``__array_interface__``, ``__torch_function__``,
``__reduce__``), and ``__del__``, which runs at any time."""

SPECIAL_NAMES = frozenset({"__class__", "__dict__", "__doc__", "__name__", "__qualname__"})
"""Attributes of Python's own that may be read; the first two are answered by the facade."""

OWN_SPECIAL = frozenset({"__all__", "__author__", "__doc__", "__slots__", "__version__"})
"""Names between double underscores that a cell may bind."""


@dataclass(frozen=True, slots=True)
class Module:
    """One module as a cell sees it.

    Attributes:
        members: Functions, classes and values.
        parts: Modules inside it.
        flags: Switches that a cell may set; they have no effect.
    """

    members: frozenset[str]
    parts: frozenset[str]
    flags: frozenset[str]


ALIASES = {
    "d2l.torch.F": "torch.nn.functional",
    "d2l.torch.nn": "torch.nn",
    "d2l.torch.np": "numpy",
    "d2l.torch.plt": "matplotlib.pyplot",
    "d2l.torch.torch": "torch",
    "matplotlib.pyplot.cm": "matplotlib.cm",
    "matplotlib.pyplot.style": "matplotlib.style",
}
"""Modules that are reached through another one as well, and where they are."""


def part_of(module: str, part: str) -> str:
    """Return the name of a part of a module.

    >>> part_of("torch", "nn"), part_of("d2l.torch", "nn")
    ('torch.nn', 'torch.nn')
    """
    name = f"{module}.{part}"
    return ALIASES.get(name, name)


def _read() -> tuple[
    dict[str, Module],
    dict[str, frozenset[str]],
    frozenset[str],
    dict[str, frozenset[str]],
    frozenset[str],
]:
    text = Path(__file__).with_name("allowed_names.toml").read_text("utf-8")
    tables = tomli.loads(text)
    of_packages: set[str] = set()
    modules = {}
    for name, groups in tables["modules"].items():
        of_packages |= set(groups.pop("attributes", "").split())
        modules[name] = Module(
            parts=frozenset(groups.pop("parts", "").split()),
            flags=frozenset(groups.pop("flags", "").split()),
            members=frozenset(" ".join(groups.values()).split()),
        )
    attributes = frozenset(" ".join(tables["attributes"].values()).split())
    imports = {name: frozenset(names.split()) for name, names in tables["imports"].items()}
    of_library = {
        library: frozenset(" ".join(tables[library].values()).split())
        for library in ("matplotlib", "pandas")
    }
    known = attributes.union(of_packages, *of_library.values())
    return modules, imports, attributes, of_library, known


MODULES, IMPORTS, ATTRIBUTES, LIBRARY_ATTRIBUTES, KNOWN_ATTRIBUTES = _read()
"""Modules by dotted name; the usual names of each; what any object may be asked; by library: what
its objects may be asked, and nothing else; all of these, and what classes of the lab's own packages
have, which the guard lets a cell read of them alone."""


def is_file_name(text: object) -> bool:
    """Return whether a text is a plain name, perhaps in a folder: no root, parent or hidden file.

    >>> is_file_name("data/x-file"), is_file_name("/etc/passwd"), is_file_name("../x")
    (True, False, False)
    """
    return isinstance(text, str) and FILE_NAME.fullmatch(text) is not None


def is_path(text: object) -> bool:
    """Return whether a text leads to a file or folder of a cell, whose own is the topmost folder.

    >>> [is_path(each) for each in ("../data/x-file", "..", "/", "/etc/passwd", "x/../y", "")]
    [True, True, False, False, False, False]
    """
    return isinstance(text, str) and below_top(text) is not None


def below_top(path: str) -> str | None:
    """Return a path from the topmost folder, the cell's own, where ``..`` leads to itself.

    Returns:
        A plain name; empty for the folder itself; None for what leads nowhere.

    >>> below_top("../data/x-file"), below_top("..")
    ('data/x-file', '')
    """
    below = ABOVE.sub("", path, count=1)
    name = below.rstrip("/")
    return name if is_file_name(name) or (path and not below) else None


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
