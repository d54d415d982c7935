"""The inspector below the selected row: actions on the node, and its arguments."""

from collections.abc import Callable, Mapping

import streamlit as st

from playground.modules.layer_types import LayerType
from playground.modules.spec import Block, BlockKind, Layer, Node, Shared, edit
from playground.modules.spec.edit import Address
from playground.modules.spec.parts import MAX_TIMES
from ui.builder import arguments
from ui.builder.editor import NetworkEditor, set_control
from ui.builder.layer_list import Row
from ui.html_escape import as_code
from ui.language import say

ARROWS = {"Alt+Up": "Alt + ↑", "Alt+Down": "Alt + ↓", "Alt+D": "Alt + D"}


def draw(editor: NetworkEditor, row: Row, known: Mapping[str, LayerType]) -> None:
    """Draw the tools and the arguments of the selected node."""
    with st.container(key=editor.card.key("builder-inspector"), gap="small"):
        _draw_tools(editor, row)
        match row.node:
            case Layer():
                _draw_layer(editor, row.node, known.get(row.node.type))
            case Block():
                _draw_kind(editor, row.node)
            case Shared():
                st.caption(say("builder.shared-note", path=as_code(row.node.of)))
        with st.container(horizontal=True, key=editor.card.key("builder-naming")):
            _draw_naming(editor, row)


def _draw_tools(editor: NetworkEditor, row: Row) -> None:
    key, root = editor.card.key, editor.root
    with st.container(
        horizontal=True, key=key("builder-tools"), gap="xxsmall", vertical_alignment="center"
    ):
        for name, icon, shortcut, is_off in (
            ("up", "arrow_upward", "Alt+Up", edit.step(root, row.address, down=False) is None),
            ("down", "arrow_downward", "Alt+Down", edit.step(root, row.address, down=True) is None),
            ("duplicate", "content_copy", "Alt+D", False),
            ("remove", "delete", "Delete", False),
        ):
            st.button(
                say(f"builder.{name}"),
                icon=f":material/{icon}:",
                key=key(f"builder-icon-{name}"),
                help=f"{say(f'builder.{name}')} · {ARROWS.get(shortcut, shortcut)}",
                shortcut=shortcut,
                disabled=is_off,
                on_click=_press,
                args=(editor, name),
            )
        st.menu_button(
            "⋯",
            _menu_actions(row.node),
            format_func=lambda name: say(f"builder.{name}"),
            key=key("builder-more"),
            help=say("builder.more"),
            on_click=_choose,
            args=(editor,),
        )


def _menu_actions(node: Node) -> tuple[str, ...]:
    """Return the rarer actions: wrap, unwrap, share."""
    wraps = (f"wrap-{kind.value}" for kind in BlockKind)
    unwrap = ("unwrap",) if isinstance(node, Block) else ()
    return (*wraps, *unwrap, *(("share",) if node.times == 1 else ()))


def _draw_naming(editor: NetworkEditor, row: Row) -> None:
    """Draw the node's name and the number of its copies."""
    node, key = row.node, editor.card.key
    set_control(key("name"), node.name or "")
    st.text_input(
        say("builder.name"),
        max_chars=40,
        key=key("name"),
        placeholder=row.paths[0].rpartition(".")[2],
        on_change=_rename,
        args=(editor, row.address),
    )
    if not isinstance(node, Shared):
        set_control(key("times"), node.times)
        st.number_input(
            say("builder.times"),
            1,
            MAX_TIMES,
            key=key("times"),
            on_change=_repeat,
            args=(editor, row.address),
        )


def _draw_layer(editor: NetworkEditor, node: Layer, kind: LayerType | None) -> None:
    if kind is None:
        return
    st.caption(arguments.summary_text(kind.summary))
    given = node.keywords
    first = [each for each in kind.arguments if each.is_required or each.name in given]
    others = [each for each in kind.arguments if each not in first]
    arguments.draw(editor, node, first)
    if others:
        label = say("builder.more-arguments", count=len(others))
        with st.expander(label, key=editor.card.key("more-arguments")):
            arguments.draw(editor, node, others)


def _draw_kind(editor: NetworkEditor, node: Block) -> None:
    key = editor.card.key("kind")
    set_control(key, node.kind.value)
    st.segmented_control(
        say("builder.kind"),
        [kind.value for kind in BlockKind],
        format_func=lambda kind: say(f"builder.kind-{kind}"),
        key=key,
        required=True,
        wrap=True,
        on_change=_set_kind,
        args=(editor, editor.selected),
    )
    st.caption(say(f"builder.kind-note-{node.kind.value}"))


# -- actions of the buttons, on the node that is selected when the click arrives -----------------


def _press(editor: NetworkEditor, name: str) -> None:
    chosen = editor.selected
    if chosen is not None:
        ACTIONS[name](editor, chosen)


def _choose(editor: NetworkEditor) -> None:
    name = st.session_state[editor.card.key("builder-more")]
    if name in ACTIONS:
        _press(editor, name)


def _step(editor: NetworkEditor, chosen: Address, *, down: bool) -> None:
    target = edit.step(editor.root, chosen, down=down)
    if target is not None:
        editor.change(lambda root: edit.move(root, chosen, target), target)


def _duplicate(editor: NetworkEditor, chosen: Address) -> None:
    after = (*chosen[:-1], chosen[-1] + 1)
    editor.change(lambda root: edit.duplicate(root, chosen), after)


def _remove(editor: NetworkEditor, chosen: Address) -> None:
    editor.change(lambda root: edit.remove(root, chosen))
    same, before = chosen, (*chosen[:-1], chosen[-1] - 1)
    editor.history.selected = next(
        (each for each in (same, before) if _is_there(editor, each)), None
    )


def _is_there(editor: NetworkEditor, chosen: Address) -> bool:
    return edit.has(editor.root, chosen)


def _wrap(editor: NetworkEditor, chosen: Address, kind: BlockKind) -> None:
    editor.change(lambda root: edit.wrap(root, chosen, kind), chosen)


def _unwrap(editor: NetworkEditor, chosen: Address) -> None:
    editor.change(lambda root: edit.unwrap(root, chosen), chosen)


def _share(editor: NetworkEditor, chosen: Address) -> None:
    after = (*chosen[:-1], chosen[-1] + 1)
    editor.change(lambda root: edit.share(root, chosen, after), after)


def _rename(editor: NetworkEditor, chosen: Address) -> None:
    name = str(st.session_state[editor.card.key("name")] or "").strip()
    editor.change(lambda root: edit.rename(root, chosen, name or None), chosen)


def _repeat(editor: NetworkEditor, chosen: Address) -> None:
    times = st.session_state[editor.card.key("times")]
    if times:
        editor.change(lambda root: edit.repeat(root, chosen, int(times)), chosen)


def _set_kind(editor: NetworkEditor, chosen: Address) -> None:
    kind = st.session_state[editor.card.key("kind")]
    if kind:
        editor.change(lambda root: edit.set_kind(root, chosen, BlockKind(kind)), chosen)


ACTIONS: dict[str, Callable[[NetworkEditor, Address], None]] = {
    "up": lambda editor, chosen: _step(editor, chosen, down=False),
    "down": lambda editor, chosen: _step(editor, chosen, down=True),
    "duplicate": _duplicate,
    "remove": _remove,
    "unwrap": _unwrap,
    "share": _share,
    **{
        f"wrap-{kind.value}": lambda editor, chosen, kind=kind: _wrap(editor, chosen, kind)  # type: ignore[misc]
        for kind in BlockKind
    },
}
