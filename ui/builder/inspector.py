"""Under the selected row: what can be done with the node, and its arguments."""

from collections.abc import Callable, Mapping

import streamlit as st

from playground.modules.layer_types import LayerType
from playground.modules.spec import Block, BlockKind, Layer, Node, Shared, edit
from playground.modules.spec.edit import Address
from playground.modules.spec.nodes import MOST_TIMES
from ui.builder import arguments
from ui.builder.bench import Bench
from ui.builder.layer_list import Row
from ui.quoting import as_code
from ui.words import say

ARROWS = {"Alt+Up": "Alt + ↑", "Alt+Down": "Alt + ↓", "Alt+D": "Alt + D"}


def draw(bench: Bench, row: Row, known: Mapping[str, LayerType]) -> None:
    """Draw the tools and the arguments of the selected node."""
    with st.container(key=bench.card.key("builder-inspector"), gap="small"):
        _draw_tools(bench, row)
        match row.node:
            case Layer():
                _draw_layer(bench, row.node, known.get(row.node.type))
            case Block():
                _draw_kind(bench, row.node)
            case Shared():
                st.caption(say("builder.shared-note", path=as_code(row.node.of)))
        with st.container(horizontal=True, key=bench.card.key("builder-naming")):
            _draw_naming(bench, row)


def _draw_tools(bench: Bench, row: Row) -> None:
    key, root = bench.card.key, bench.root
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
                args=(bench, name),
            )
        st.menu_button(
            "⋯",
            _rarer_actions(row.node),
            format_func=lambda name: say(f"builder.{name}"),
            key=key("builder-more"),
            help=say("builder.more"),
            on_click=_choose,
            args=(bench,),
        )


def _rarer_actions(node: Node) -> tuple[str, ...]:
    """A block around it, or no longer; the same layer once more."""
    wraps = (f"wrap-{kind.value}" for kind in BlockKind)
    unwrap = ("unwrap",) if isinstance(node, Block) else ()
    return (*wraps, *unwrap, *(("share",) if node.times == 1 else ()))


def _draw_naming(bench: Bench, row: Row) -> None:
    """What it is called, and how often it stands there."""
    node, key = row.node, bench.card.key
    _put(key("name"), node.name or "")
    st.text_input(
        say("builder.name"),
        max_chars=40,
        key=key("name"),
        placeholder=row.paths[0].rpartition(".")[2],
        on_change=_rename,
        args=(bench, row.address),
    )
    if not isinstance(node, Shared):
        _put(key("times"), node.times)
        st.number_input(
            say("builder.times"),
            1,
            MOST_TIMES,
            key=key("times"),
            on_change=_repeat,
            args=(bench, row.address),
        )


def _draw_layer(bench: Bench, node: Layer, kind: LayerType | None) -> None:
    if kind is None:
        return
    st.caption(arguments.plain(kind.summary))
    given = node.keywords
    first = [each for each in kind.arguments if each.is_required or each.name in given]
    others = [each for each in kind.arguments if each not in first]
    arguments.draw(bench, node, first)
    if others:
        label = say("builder.more-arguments", count=len(others))
        with st.expander(label, key=bench.card.key("more-arguments")):
            arguments.draw(bench, node, others)


def _draw_kind(bench: Bench, node: Block) -> None:
    key = bench.card.key("kind")
    _put(key, node.kind.value)
    st.segmented_control(
        say("builder.kind"),
        [kind.value for kind in BlockKind],
        format_func=lambda kind: say(f"builder.kind-{kind}"),
        key=key,
        required=True,
        wrap=True,
        on_change=_set_kind,
        args=(bench, bench.selected),
    )
    st.caption(say(f"builder.kind-note-{node.kind.value}"))


def _put(key: str, value: object) -> None:
    """Have a control show what the network says, whatever it showed before."""
    st.session_state[key] = value  # in each run: one that was interrupted has not sent it


# -- what the buttons do: always to what is selected when the press arrives ------------------------


def _press(bench: Bench, name: str) -> None:
    chosen = bench.selected
    if chosen is not None:
        ACTIONS[name](bench, chosen)


def _choose(bench: Bench) -> None:
    name = st.session_state[bench.card.key("builder-more")]
    if name in ACTIONS:
        _press(bench, name)


def _step(bench: Bench, chosen: Address, *, down: bool) -> None:
    target = edit.step(bench.root, chosen, down=down)
    if target is not None:
        bench.change(lambda root: edit.move(root, chosen, target), target)


def _duplicate(bench: Bench, chosen: Address) -> None:
    after = (*chosen[:-1], chosen[-1] + 1)
    bench.change(lambda root: edit.duplicate(root, chosen), after)


def _remove(bench: Bench, chosen: Address) -> None:
    bench.change(lambda root: edit.remove(root, chosen))
    same, before = chosen, (*chosen[:-1], chosen[-1] - 1)
    bench.desk.selected = next((each for each in (same, before) if _is_there(bench, each)), None)


def _is_there(bench: Bench, chosen: Address) -> bool:
    return edit.has(bench.root, chosen)


def _wrap(bench: Bench, chosen: Address, kind: BlockKind) -> None:
    bench.change(lambda root: edit.wrap(root, chosen, kind), chosen)


def _unwrap(bench: Bench, chosen: Address) -> None:
    bench.change(lambda root: edit.unwrap(root, chosen), chosen)


def _share(bench: Bench, chosen: Address) -> None:
    after = (*chosen[:-1], chosen[-1] + 1)
    bench.change(lambda root: edit.share(root, chosen, after), after)


def _rename(bench: Bench, chosen: Address) -> None:
    name = str(st.session_state[bench.card.key("name")] or "").strip()
    bench.change(lambda root: edit.rename(root, chosen, name or None), chosen)


def _repeat(bench: Bench, chosen: Address) -> None:
    times = st.session_state[bench.card.key("times")]
    if times:
        bench.change(lambda root: edit.repeat(root, chosen, int(times)), chosen)


def _set_kind(bench: Bench, chosen: Address) -> None:
    kind = st.session_state[bench.card.key("kind")]
    if kind:
        bench.change(lambda root: edit.set_kind(root, chosen, BlockKind(kind)), chosen)


ACTIONS: dict[str, Callable[[Bench, Address], None]] = {
    "up": lambda bench, chosen: _step(bench, chosen, down=False),
    "down": lambda bench, chosen: _step(bench, chosen, down=True),
    "duplicate": _duplicate,
    "remove": _remove,
    "unwrap": _unwrap,
    "share": _share,
    **{
        f"wrap-{kind.value}": lambda bench, chosen, kind=kind: _wrap(bench, chosen, kind)  # type: ignore[misc]
        for kind in BlockKind
    },
}
