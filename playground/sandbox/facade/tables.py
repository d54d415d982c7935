"""What a cell may name: modules, members, attributes, functions of Python; knows no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set.

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
    text = Path(__file__).with_name("tables.toml").read_text("utf-8")
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
