"""A control for each argument of a layer, with the type and range of the catalogue."""

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from playground.modules.layer_types import Argument, ArgumentKind
from playground.modules.spec import Layer, Value, edit
from playground.modules.spec.edit import Address
from ui.builder.editor import NetworkEditor, set_control
from ui.builder.layer_list import escaped, value_text
from ui.html_escape import as_code
from ui.language import say

NONE = "None"
MAX_SEGMENTS = 4
MAX_INTEGER = 1_000_000
DIMENSIONS = frozenset({"dim", "start_dim", "end_dim", "axis"})
MAX_SAFE_INTEGER = 2**53 - 1  # that a browser can count to
MAX_DIMENSIONS = 6
SPLIT = re.compile(r"[\s,;×x]+")
COLUMNS = 2


def draw(editor: NetworkEditor, node: Layer, arguments: Sequence[Argument]) -> None:
    """Draw the controls of some arguments in two columns."""
    chosen = editor.selected
    if chosen is None:
        return
    for start in range(0, len(arguments), COLUMNS):
        with st.container(
            horizontal=True, key=editor.card.key(f"arguments-{arguments[start].name}")
        ):
            for argument in arguments[start : start + COLUMNS]:
                _draw(editor, node, argument, chosen)


def _draw(editor: NetworkEditor, node: Layer, argument: Argument, chosen: Address) -> None:
    value = node.keywords.get(argument.name, argument.default)
    key = editor.card.key(f"argument-{argument.name}")
    more: dict[str, Any] = {"key": key, "on_change": _take, "args": (editor, chosen, argument)}
    label = escaped(argument.name)
    match argument.kind:
        case ArgumentKind.SWITCH if not argument.allows_none:
            set_control(key, value is True)
            st.toggle(label, **more)
        case ArgumentKind.SWITCH | ArgumentKind.CHOICE:
            _draw_choice(argument, value, label, more)
        case ArgumentKind.INTEGER:
            given = value if isinstance(value, int) and abs(value) <= MAX_SAFE_INTEGER else None
            least, most = bounds(argument.name, given)
            set_control(key, given)
            st.number_input(label, least, most, step=1, placeholder=_placeholder(argument), **more)
        case ArgumentKind.NUMBER:
            set_control(key, float(value) if isinstance(value, int | float) else None)
            st.number_input(
                label,
                step=0.1,
                format="%g",
                placeholder=_placeholder(argument),
                **more,
            )
        case _:
            set_control(key, as_text(value))
            is_layer = argument.kind is ArgumentKind.MODULE
            st.text_input(label, help=_help(argument), disabled=is_layer, **more)


def _draw_choice(argument: Argument, value: Value, label: str, more: dict[str, Any]) -> None:
    words: tuple[str, ...] = (NONE,) if argument.allows_none else ()
    words += argument.choices or ("True", "False")
    words += () if str(value) in words else (str(value),)  # a file may have brought it
    set_control(str(more["key"]), str(value))
    if len(words) <= MAX_SEGMENTS and sum(map(len, words)) <= 28:
        st.segmented_control(label, words, format_func=escaped, required=True, wrap=True, **more)
    else:
        st.selectbox(label, words, **more)


def _take(editor: NetworkEditor, chosen: Address, argument: Argument) -> None:
    """Set an argument to the value of its control; an invalid value is refused."""
    given = st.session_state[editor.card.key(f"argument-{argument.name}")]
    try:
        value = parse_value(given, argument)
    except ValueError:
        _refuse(editor, given, argument)
        return
    if not edit.has(editor.root, chosen):
        return  # a click that came after another one
    node = edit.node_at(editor.root, chosen)
    if not isinstance(node, Layer):
        return
    given = {**node.keywords, argument.name: value}
    if not argument.is_required and repr(value) == repr(argument.default):
        given.pop(argument.name)  # as a program would leave it out
    editor.change(lambda root: edit.set_arguments(root, chosen, given), chosen)


def _refuse(editor: NetworkEditor, given: object, argument: Argument) -> None:
    """Show that a value is invalid; a field that was emptied shows its value again."""
    if given not in (None, ""):
        editor.refuse(None, "not-meant", argument=as_code(argument.name), given=as_code(str(given)))


def parse_value(given: object, argument: Argument) -> Value:
    """Convert a control's value into an argument.

    Raises:
        ValueError: Nothing that the argument could be.

    >>> padding = Argument(name="padding", kind=ArgumentKind.INTEGERS, choices=("same",))
    >>> parse_value("3, 5", padding), parse_value("3", padding), parse_value("same", padding)
    ((3, 5), 3, 'same')
    """
    if given is None or given == NONE or given == "":
        if argument.allows_none:
            return None
        raise ValueError(argument.name)
    match argument.kind:
        case ArgumentKind.SWITCH:
            return given in (True, "True")
        case ArgumentKind.INTEGER if isinstance(given, int | float):
            return int(given)
        case ArgumentKind.NUMBER if isinstance(given, int | float):
            return float(given)
        case ArgumentKind.CHOICE | ArgumentKind.TEXT:
            return str(given)
        case ArgumentKind.MODULE:
            raise ValueError(argument.name)  # a layer is not typed in
    return _numbers(str(given), argument)


def _numbers(text: str, argument: Argument) -> Value:
    if text.strip() in argument.choices:
        return text.strip()
    kind = float if argument.kind is ArgumentKind.NUMBERS else int
    parts = [part for part in SPLIT.split(text.strip(" ()[]")) if part]
    numbers: tuple[Value, ...] = tuple(None if part == NONE else kind(part) for part in parts)
    is_single = len(numbers) == 1 and argument.kind is not ArgumentKind.INTEGER_TUPLE
    if not numbers:
        raise ValueError(argument.name)
    if is_single and 1 not in argument.lengths:
        return numbers[0]
    if argument.lengths and len(numbers) not in argument.lengths:
        raise ValueError(argument.name)
    return numbers


def bounds(name: str, given: int | None = None) -> tuple[int, int]:
    """Return the range of an integer argument; a dimension counts from either end.

    What a file or a link has brought is allowed too: torch says what is wrong with it.

    >>> bounds("start_dim"), bounds("in_features")
    ((-6, 6), (0, 1000000))
    """
    least, most = (-MAX_DIMENSIONS, MAX_DIMENSIONS) if name in DIMENSIONS else (0, MAX_INTEGER)
    return (least, most) if given is None else (min(least, given), max(most, given))


def as_text(value: Value) -> str:
    """Format a value as it is typed in.

    >>> as_text((3, 5)), as_text(3), as_text(None)
    ('3, 5', '3', '')
    """
    if value is None:
        return ""
    if isinstance(value, tuple) and not any(isinstance(item, tuple | str) for item in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else value_text(value)


def summary_text(summary: str) -> str:
    """Escape a sentence of PyTorch's documentation for Markdown."""
    return escaped(summary)


def _placeholder(argument: Argument) -> str | None:
    return NONE if argument.allows_none else None


def _help(argument: Argument) -> str | None:
    """Return the help text: how several numbers are written."""
    if argument.kind in {ArgumentKind.TEXT, ArgumentKind.MODULE}:
        return None
    lengths = " / ".join(map(str, argument.lengths))
    parts = [say("builder.numbers", lengths=lengths) if lengths else say("builder.any-numbers")]
    parts += [f"`{word}`" for word in argument.choices]
    return " · ".join([*parts, NONE] if argument.allows_none else parts)
