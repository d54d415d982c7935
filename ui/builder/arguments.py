"""A control for each argument of a layer: what it may be comes from the catalogue."""

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from playground.modules.layer_types import Argument, ArgumentKind
from playground.modules.spec import Layer, Value, edit
from playground.modules.spec.edit import Address
from ui.builder.bench import Bench
from ui.builder.layer_list import escaped, written
from ui.quoting import as_code
from ui.words import say

NONE = "None"
MOST_SEGMENTS = 4
MOST = 1_000_000
DIMENSIONS = frozenset({"dim", "start_dim", "end_dim", "axis"})
LARGEST = 2**53 - 1  # that a browser can count to
MOST_DIMENSIONS = 6
SPLIT = re.compile(r"[\s,;×x]+")
COLUMNS = 2


def draw(bench: Bench, node: Layer, arguments: Sequence[Argument]) -> None:
    """Draw the controls of some arguments, two beside each other."""
    chosen = bench.selected
    if chosen is None:
        return
    for start in range(0, len(arguments), COLUMNS):
        with st.container(
            horizontal=True, key=bench.card.key(f"arguments-{arguments[start].name}")
        ):
            for argument in arguments[start : start + COLUMNS]:
                _draw(bench, node, argument, chosen)


def _draw(bench: Bench, node: Layer, argument: Argument, chosen: Address) -> None:
    value = node.keywords.get(argument.name, argument.default)
    key = bench.card.key(f"argument-{argument.name}")
    more: dict[str, Any] = {"key": key, "on_change": _take, "args": (bench, chosen, argument)}
    label = escaped(argument.name)
    match argument.kind:
        case ArgumentKind.SWITCH if not argument.allows_none:
            _put(key, value is True)
            st.toggle(label, **more)
        case ArgumentKind.SWITCH | ArgumentKind.CHOICE:
            _draw_choice(argument, value, label, more)
        case ArgumentKind.INTEGER:
            given = value if isinstance(value, int) and abs(value) <= LARGEST else None
            least, most = bounds(argument.name, given)
            _put(key, given)
            st.number_input(label, least, most, step=1, placeholder=_placeholder(argument), **more)
        case ArgumentKind.NUMBER:
            _put(key, float(value) if isinstance(value, int | float) else None)
            st.number_input(
                label,
                step=0.1,
                format="%g",
                placeholder=_placeholder(argument),
                **more,
            )
        case _:
            _put(key, as_text(value))
            is_layer = argument.kind is ArgumentKind.MODULE
            st.text_input(label, help=_help(argument), disabled=is_layer, **more)


def _draw_choice(argument: Argument, value: Value, label: str, more: dict[str, Any]) -> None:
    words: tuple[str, ...] = (NONE,) if argument.allows_none else ()
    words += argument.choices or ("True", "False")
    words += () if str(value) in words else (str(value),)  # a file may have brought it
    _put(str(more["key"]), str(value))
    if len(words) <= MOST_SEGMENTS and sum(map(len, words)) <= 28:
        st.segmented_control(label, words, format_func=escaped, required=True, wrap=True, **more)
    else:
        st.selectbox(label, words, **more)


def _take(bench: Bench, chosen: Address, argument: Argument) -> None:
    """Put into the network what a control says; what it cannot mean is not taken."""
    told = st.session_state[bench.card.key(f"argument-{argument.name}")]
    try:
        value = meant(told, argument)
    except ValueError:
        _refuse(bench, told, argument)
        return
    if not edit.has(bench.root, chosen):
        return  # a click that came after another one
    node = edit.node_at(bench.root, chosen)
    if not isinstance(node, Layer):
        return
    given = {**node.keywords, argument.name: value}
    if not argument.is_required and repr(value) == repr(argument.default):
        given.pop(argument.name)  # as a program would leave it out
    bench.change(lambda root: edit.set_arguments(root, chosen, given), chosen)


def _refuse(bench: Bench, told: object, argument: Argument) -> None:
    """Say what was not understood; a field that was emptied merely shows its value again."""
    if told not in (None, ""):
        bench.refuse(None, "not-meant", argument=as_code(argument.name), given=as_code(str(told)))


def meant(told: object, argument: Argument) -> Value:
    """What a control's value means as an argument.

    Raises:
        ValueError: Nothing that the argument could be.

    >>> padding = Argument(name="padding", kind=ArgumentKind.INTEGERS, choices=("same",))
    >>> meant("3, 5", padding), meant("3", padding), meant("same", padding)
    ((3, 5), 3, 'same')
    """
    if told is None or told == NONE or told == "":
        if argument.allows_none:
            return None
        raise ValueError(argument.name)
    match argument.kind:
        case ArgumentKind.SWITCH:
            return told in (True, "True")
        case ArgumentKind.INTEGER if isinstance(told, int | float):
            return int(told)
        case ArgumentKind.NUMBER if isinstance(told, int | float):
            return float(told)
        case ArgumentKind.CHOICE | ArgumentKind.TEXT:
            return str(told)
        case ArgumentKind.MODULE:
            raise ValueError(argument.name)  # a layer is not typed in
    return _numbers(str(told), argument)


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
    """What an integer of this name may be: a dimension counts from either end.

    What a file or a link has brought is allowed too: torch says what is wrong with it.

    >>> bounds("start_dim"), bounds("in_features")
    ((-6, 6), (0, 1000000))
    """
    least, most = (-MOST_DIMENSIONS, MOST_DIMENSIONS) if name in DIMENSIONS else (0, MOST)
    return (least, most) if given is None else (min(least, given), max(most, given))


def as_text(value: Value) -> str:
    """A value as it is typed in.

    >>> as_text((3, 5)), as_text(3), as_text(None)
    ('3, 5', '3', '')
    """
    if value is None:
        return ""
    if isinstance(value, tuple) and not any(isinstance(item, tuple | str) for item in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else written(value)


def plain(summary: str) -> str:
    """A sentence of torch's documentation, safe to be shown as Markdown."""
    return escaped(summary)


def _placeholder(argument: Argument) -> str | None:
    return NONE if argument.allows_none else None


def _help(argument: Argument) -> str | None:
    """How several numbers are written."""
    if argument.kind in {ArgumentKind.TEXT, ArgumentKind.MODULE}:
        return None
    lengths = " / ".join(map(str, argument.lengths))
    told = [say("builder.numbers", lengths=lengths) if lengths else say("builder.any-numbers")]
    told += [f"`{word}`" for word in argument.choices]
    return " · ".join([*told, NONE] if argument.allows_none else told)


def _put(key: str, value: object) -> None:
    st.session_state[key] = value  # in each run: one that was interrupted has not sent it
