"""Pictures of this lesson: a batch that flows through layers, and the tree of modules."""

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH = 440
SHAPE, LAYER, ROW = 22, 32, 26  # px of height
INDENT = 18
MAX_STAGES = 40
MAX_ROWS = 24
ACCENT, MUTED, TROUBLE = "var(--tp-accent)", "var(--tp-muted)", "var(--tp-trouble)"
INK, LINE = "var(--tp-ink)", "var(--tp-line)"
MONOSPACE = ' font-family="var(--st-code-font, monospace)"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A layer that the batch passes, and the shape after it.

    Attributes:
        path: Its name in the network.
        shape: The output shape; empty if the layer was not reached or raised an error.
        note: At the right, such as the number of its parameters.
        joined: The output shapes of the blocks that end here, a line each.
        depth: The number of enclosing blocks.
        has_parameters: It has parameters, and is drawn in colour.
        is_failing: The forward pass ended here.
    """

    label: str
    path: str = ""
    shape: str = ""
    note: str = ""
    joined: tuple[str, ...] = ()
    depth: int = 0
    has_parameters: bool = False
    is_failing: bool = False


def flow(first: str, stages: Sequence[Stage]) -> str:
    """Draw the stages from top to bottom, with the shapes between them.

    Args:
        first: The shape of the input.
        stages: The layers in the order of the forward pass.
    """
    parts, y = [text_at(WIDTH / 2, 16, first, is_code=True)], float(SHAPE)
    for number, stage in enumerate(stages[:MAX_STAGES]):
        parts += _stage(stage, y, number)
        y += LAYER
        for line in (*((stage.shape,) if stage.shape else ()), *stage.joined):
            parts.append(text_at(WIDTH / 2, y + 16, line, is_code=True))
            y += SHAPE
        if stage.is_failing or not stage.shape:
            y += 4
    if len(stages) > MAX_STAGES:
        parts.append(text_at(WIDTH / 2, y + 16, f"… +{len(stages) - MAX_STAGES}", MUTED))
        y += SHAPE
    return svg_of(parts, y + 4)


def way(first: str, stages: Iterable[Stage]) -> str:
    """Describe the stages as text.

    >>> way("(2, 20)", [Stage(label="ReLU", shape="(2, 20)")])
    '(2, 20) → ReLU → (2, 20)'
    """
    parts = [first]
    for stage in stages:
        parts += [stage.label, *((stage.shape,) if stage.shape else ()), *stage.joined]
        parts += ["✗"] if stage.is_failing else []
    return " → ".join(parts)


def _stage(stage: Stage, y: float, number: int) -> Iterator[str]:
    left = 96 + INDENT * stage.depth / 2
    colour = TROUBLE if stage.is_failing else ACCENT if stage.has_parameters else MUTED
    yield (
        f'<rect data-id="stage-{number}" x="{left:g}" y="{y + 2:g}" width="{WIDTH - 2 * left:g}"'
        f' height="{LAYER - 4}" rx="7" style="fill:color-mix(in srgb,{colour} 14%,transparent);'
        f'stroke:{colour}" stroke-width="1.6"/>'
    )
    sign = "✗ " if stage.is_failing else ""
    ink = TROUBLE if stage.is_failing else INK
    yield text_at(WIDTH / 2, y + 20, f"{sign}{stage.label}", ink, weight=650)
    if stage.path:
        yield text_at(
            4 + INDENT * stage.depth / 2, y + 20, stage.path, MUTED, "start", is_code=True
        )
    if stage.note:
        yield text_at(WIDTH - 4, y + 20, stage.note, MUTED, "end")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A module in the tree.

    Attributes:
        name: Its name in the parent module.
        note: At the right, such as the number of its parameters.
        is_registered: It is registered in its parent; otherwise its line is dotted.
        is_failing: An error came from it.
    """

    depth: int
    name: str
    type_name: str
    note: str = ""
    is_registered: bool = True
    is_failing: bool = False


def tree(nodes: Sequence[Node]) -> str:
    """Draw a line for each module, indented by depth."""
    parts: list[str] = []
    parents: list[int] = []  # by depth: the line of the last module there
    for number, node in enumerate(nodes[:MAX_ROWS]):
        y = ROW * number + 20
        x = 8 + INDENT * node.depth
        del parents[node.depth :]
        dash = "" if node.is_registered else ' stroke-dasharray="2 4"'
        colour = TROUBLE if node.is_failing or not node.is_registered else INK
        if parents:
            top = ROW * parents[-1] + 26
            parts.append(
                f'<path d="M{x - 12} {top} V{y - 5} H{x - 3}" fill="none" style="stroke:'
                f'{LINE if node.is_registered else TROUBLE}" stroke-width="1.6"{dash}/>'
            )
        parents.append(number)
        name = f'<tspan style="fill:{MUTED}">{html.escape(node.name)}</tspan> '
        parts.append(
            f'<text data-id="node-{number}" x="{x}" y="{y}" font-size="14"'
            f' style="fill:{colour}">{name}<tspan font-weight="650">'
            f"{html.escape(node.type_name)}</tspan></text>"
        )
        if node.note:
            parts.append(text_at(WIDTH - 4, y, node.note, colour if dash else MUTED, "end"))
    if len(nodes) > MAX_ROWS:
        parts.append(text_at(8, ROW * MAX_ROWS + 20, f"… +{len(nodes) - MAX_ROWS}", MUTED, "start"))
    return svg_of(parts, ROW * min(len(nodes), MAX_ROWS + 1) + 8)


def tree_text(nodes: Iterable[Node]) -> str:
    """Describe the tree as text.

    >>> tree_text([Node(depth=0, name="net", type_name="MLP", note="2")])
    'net MLP 2'
    """
    lines = (f"{each.name} {each.type_name} {each.note}".strip() for each in nodes)
    return "; ".join(lines) or "—"


def nodes_of(net: Any) -> tuple[Node, ...]:
    """Return the registered modules of a network with parameter counts; runs in the worker."""
    return tuple(
        Node(
            depth=path.count(".") + 1 if path else 0,
            name=path.rpartition(".")[2] or "net",
            type_name=type(module).__name__,
            note=f"{parameters_of(module):,}",
        )
        for path, module in net.named_modules(remove_duplicate=False)
    )


def parameters_of(module: Any) -> int:
    """Count a module's trainable parameters, each tensor once; runs in the worker."""
    return sum(each.numel() for each in module.parameters())


def text_at(
    x: float,
    y: float,
    text: str,
    colour: str = INK,
    anchor: str = "middle",
    *,
    weight: int = 400,
    is_code: bool = False,
) -> str:
    """Draw a line of text."""
    family = MONOSPACE if is_code else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="13" text-anchor="{anchor}"'
        f' font-weight="{weight}"{family} style="fill:{colour}">{html.escape(text)}</text>'
    )


def svg_of(parts: Iterable[str], height: float) -> str:
    """Join the parts into one picture."""
    return f'<svg viewBox="0 0 {WIDTH} {height:g}">{"".join(parts)}</svg>'
