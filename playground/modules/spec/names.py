"""Valid names of children, classes and arguments: those that Python and torch accept."""

import keyword
import re

from playground.errors import InvalidSpecError

MAX_CHARACTERS = 40
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
CHILD = re.compile(r"[A-Za-z][A-Za-z0-9_ -]*", re.ASCII)  # add_module takes "block 0"
NUMBER = re.compile(r"0|[1-9][0-9]{0,3}", re.ASCII)
ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

# What nn.Sequential has already: a child of such a name would hide it, and torch refuses it.
TAKEN = frozenset(
    {
        "T_destination",
        "add_module",
        "append",
        "apply",
        "bfloat16",
        "buffers",
        "call_super_init",
        "children",
        "compile",
        "cpu",
        "cuda",
        "double",
        "dump_patches",
        "eval",
        "extend",
        "extra_repr",
        "float",
        "forward",
        "get_buffer",
        "get_extra_state",
        "get_parameter",
        "get_submodule",
        "half",
        "insert",
        "ipu",
        "load_state_dict",
        "modules",
        "mtia",
        "named_buffers",
        "named_children",
        "named_modules",
        "named_parameters",
        "parameters",
        "pop",
        "register_backward_hook",
        "register_buffer",
        "register_forward_hook",
        "register_forward_pre_hook",
        "register_full_backward_hook",
        "register_full_backward_pre_hook",
        "register_load_state_dict_post_hook",
        "register_load_state_dict_pre_hook",
        "register_module",
        "register_parameter",
        "register_state_dict_post_hook",
        "register_state_dict_pre_hook",
        "requires_grad_",
        "set_extra_state",
        "set_submodule",
        "share_memory",
        "state_dict",
        "to",
        "to_empty",
        "train",
        "training",
        "type",
        "xpu",
        "zero_grad",
    }
)


def is_child(name: object) -> bool:
    """Return whether a child can be called so: a number, or words that Python and torch leave free.

    >>> is_child("block 0"), is_child("0"), is_child("forward"), is_child("a.b")
    (True, True, False, False)
    """
    if not isinstance(name, str) or len(name) > MAX_CHARACTERS:
        return False
    is_free = not keyword.iskeyword(name) and name not in TAKEN
    return bool(NUMBER.fullmatch(name) or (CHILD.fullmatch(name) and is_free))


def check_child(name: object, *, type: str) -> None:
    """Refuse what cannot be the name of a child.

    Raises:
        InvalidSpecError: It has other characters, or Python or torch has given it a meaning.
    """
    if not is_child(name):
        raise InvalidSpecError("spec_name", type=type, name=str(name)[:MAX_CHARACTERS])


def check_type(name: str) -> None:
    """Refuse what cannot be the name of a class.

    Raises:
        InvalidSpecError: It is no Python name.
    """
    if len(name) > MAX_CHARACTERS or not is_identifier(name):
        raise InvalidSpecError("spec_unknown_layer", type=name[:MAX_CHARACTERS])


def check_argument(name: str, *, type: str) -> None:
    """Refuse what cannot be the name of an argument.

    Raises:
        InvalidSpecError: It is no Python name.
    """
    is_name = ARGUMENT.fullmatch(name) and not keyword.iskeyword(name)
    if len(name) > MAX_CHARACTERS or not is_name:
        raise InvalidSpecError("spec_unknown_argument", type=type, argument=name[:MAX_CHARACTERS])


def is_identifier(name: str) -> bool:
    """Return whether a class of torch could be called so."""
    return bool(IDENTIFIER.fullmatch(name)) and not keyword.iskeyword(name)
