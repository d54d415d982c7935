"""The chain of shapes: between two shapes a layer, as wide as what goes through it."""

import math

import plotly.graph_objects as go

from playground.lessons.blocks.records import BuildNetworkReport
from playground.lessons.blocks.records.chain import Joint, Link, shape_text
from playground.modules.forward_trace import Shape
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch, tinted

SHAPE = 22  # px of height that a shape takes
LAYER = 30
EDGE = 6
MIDDLE = 0.5
NARROW, WIDE = 0.2, 0.62  # of the width, for the smallest and the largest tensor
MOST_LINKS = 40
INDENT = 0.018


@drawn_once
def shape_chain(report: BuildNetworkReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the way of the batch from above to below; it ends where the network fails.

    Args:
        report: A network with its trace.
        palette: The colours of the theme.
        words: Needs ``more_layers``, ``joint_residual`` and ``joint_concatenate``.
    """
    links = report.links
    shown = links[:MOST_LINKS]
    drawing = _Drawing(report, shown, palette, words)
    for link in shown:
        drawing.add(link)
    if len(links) > len(shown):
        drawing.say_more(len(links) - len(shown))
    drawing.add_blocks(shown)
    return go.Figure(drawing.sketch.spec())


class _Drawing:
    """Where the pen is, and how wide a shape is drawn."""

    def __init__(
        self,
        report: BuildNetworkReport,
        links: tuple[Link, ...],
        palette: Palette,
        words: Words,
    ) -> None:
        self.palette, self.words = palette, words
        first = report.network.input[0].shape
        shapes = [
            first,
            *(
                shape
                for link in links
                for shape in (link.input_shape, link.output_shape)
                if shape is not None
            ),
        ]
        sizes = [math.log(max(1, math.prod(shape))) for shape in shapes]
        self.least, self.most = min(sizes), max(sizes)
        height = self._height(links) + (SHAPE if len(report.links) > len(links) else 0)
        self.y = float(height - EDGE)
        self.spans: dict[str, tuple[float, float]] = {}
        self.sketch = Sketch(
            palette,
            height=height,
            across=(0, 1),
            upwards=(0, height),
            font={"size": 12},
            hover_font={"family": MONOSPACE, "size": 12},
        )
        self._add_shape_text(first)

    def _height(self, links: tuple[Link, ...]) -> int:
        height = 2 * EDGE + SHAPE
        for link in links:
            height += LAYER + SHAPE * (1 + link.starts_branch + len(link.joints))
        return height

    def width(self, shape: Shape | None) -> float:
        """How wide a shape is drawn, of the whole width."""
        if shape is None:
            return NARROW
        room = self.most - self.least
        share = (math.log(max(1, math.prod(shape))) - self.least) / room if room else 0.5
        return NARROW + (WIDE - NARROW) * share

    def add(self, link: Link) -> None:
        """Draw a layer, and what comes out of it."""
        if link.starts_branch and link.input_shape is not None:
            self._add_shape_text(link.input_shape, sign="↳ ")
        top, bottom = self.y, self.y - LAYER
        colour = self._colour(link)
        after = link.output_shape if not link.is_failing else link.input_shape
        self._add_body(top, bottom, self.width(link.input_shape), self.width(after), link, colour)
        self._add_names(link, (top + bottom) / 2)
        for block in link.blocks:
            start, _ = self.spans.get(block, (top, bottom))
            self.spans[block] = (start, bottom)
        self.y = bottom
        if link.is_failing:
            self.sketch.add_annotation(
                x=MIDDLE,
                y=self.y - SHAPE / 2,
                text="<b>✗</b>",
                font={"color": self.palette.trouble, "size": 14},
            )
            self.y -= SHAPE
        elif link.output_shape is not None:
            self._add_shape_text(link.output_shape)
        else:
            self.y -= SHAPE
        for joint in link.joints:
            self._add_joint(joint)

    def _add_joint(self, joint: Joint) -> None:
        """What a block makes of its input and what came out: it adds, or joins the branches."""
        is_failing = joint.output_shape is None
        shape = "✗" if joint.output_shape is None else shape_text(joint.output_shape)
        ink = self.palette.trouble if is_failing else self.palette.ink
        self.sketch.add_annotation(
            x=MIDDLE,
            y=self.y - SHAPE / 2,
            text=f"<b>{self.words[f'joint_{joint.kind.value}']}</b> {shape}",
            font={"color": ink, "size": 12},
        )
        self.y -= SHAPE
        top, _ = self.spans.get(joint.path, (self.y, self.y))
        self.spans[joint.path] = (top, self.y + SHAPE / 2)

    def _colour(self, link: Link) -> str:
        if link.is_failing:
            return self.palette.trouble
        return self.palette.accent if link.own_parameters else self.palette.muted

    def _add_body(
        self, top: float, bottom: float, above: float, below: float, link: Link, colour: str
    ) -> None:
        corners = (
            (MIDDLE - above / 2, top),
            (MIDDLE + above / 2, top),
            (MIDDLE + below / 2, bottom),
            (MIDDLE - below / 2, bottom),
        )
        path = "M" + " L".join(f"{x:.4f},{y:g}" for x, y in corners) + " Z"
        self.sketch.add_shape(
            type="path",
            path=path,
            fillcolor=tinted(colour, 0.16 if link.own_parameters or link.is_failing else 0.09),
            line={
                "color": colour,
                "width": 2.4 if link.is_failing else 1.2,
                "dash": "dot" if link.is_again else "solid",
            },
        )
        ways = " → ".join(
            shape_text(shape) if shape is not None else "✗"
            for shape in (link.input_shape, link.output_shape)
        )
        self.sketch.add_scatter(
            x=[MIDDLE],
            y=[(top + bottom) / 2],
            name=link.path,
            mode="markers",
            marker={"size": LAYER - 4, "opacity": 0, "color": colour},
            hovertemplate=f"<b>{link.path} {link.type_name}</b><br>{ways}<extra></extra>",
        )

    def _add_names(self, link: Link, y: float) -> None:
        palette = self.palette
        sign = "✗ " if link.is_failing else "↻ " if link.is_again else ""
        ink = palette.trouble if link.is_failing else palette.ink
        self.sketch.add_annotation(
            x=MIDDLE, y=y, text=f"<b>{sign}{link.type_name}</b>", font={"color": ink, "size": 12}
        )
        quiet = {"color": palette.muted, "size": 11}
        self.sketch.add_annotation(
            x=INDENT * (len(link.blocks) + 0.3),
            y=y,
            xanchor="left",
            text=link.path.rpartition(".")[2] if link.blocks else link.path,
            font={**quiet, "family": MONOSPACE},
        )
        if link.own_parameters and not link.is_again:
            self.sketch.add_annotation(
                x=1, y=y, xanchor="right", text=f"{link.own_parameters:,}", font=quiet
            )

    def _add_shape_text(self, shape: Shape, sign: str = "") -> None:
        self.sketch.add_annotation(
            x=MIDDLE,
            y=self.y - SHAPE / 2,
            text=f"{sign}{shape_text(shape)}",
            font={"color": self.palette.ink, "family": MONOSPACE, "size": 12},
        )
        self.y -= SHAPE

    def say_more(self, count: int) -> None:
        """Say how many layers are not drawn."""
        self.sketch.add_annotation(
            x=MIDDLE,
            y=self.y - SHAPE / 2,
            text=self.words["more_layers"].format(count=count),
            font={"color": self.palette.muted, "size": 12},
        )
        self.y -= SHAPE

    def add_blocks(self, links: tuple[Link, ...]) -> None:
        """Draw a bracket beside what is inside a block."""
        depths = {block: depth for link in links for depth, block in enumerate(link.blocks)}
        for block, (top, bottom) in self.spans.items():
            x, hook = INDENT * depths[block] + 0.004, INDENT * 0.5
            corners = ((x + hook, top), (x, top), (x, bottom), (x + hook, bottom))
            path = "M" + " L".join(f"{across:.4f},{up:g}" for across, up in corners)
            line = {"color": self.palette.muted, "width": 1.4}
            self.sketch.add_shape(type="path", path=path, line=line)
