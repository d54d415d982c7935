"""Picture of layers and the shapes of their weights at several moments."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from playground.steps import Labels, Picture, device_map

WIDTH, TITLE, BOX, ROW = 440, 22, 64, 100
GAP = 8
MAX_BOXES = 4  # of one moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A layer at one moment.

    Attributes:
        shape: Shape of its weight; a question mark for an unknown size.
        place: The device of the weight.
        note: A few characters below the shape.
    """

    name: str
    kind: str
    shape: str
    place: str = "cpu"
    note: str = ""

    @property
    def is_waiting(self) -> bool:
        return "?" in self.shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The layers at one moment.

    Attributes:
        label: The id of its label.
    """

    label: str
    boxes: tuple[Box, ...]


def lazy_box(name: str, kind: str, *outputs: int) -> Box:
    """Describe a layer of which only the output sizes are known."""
    return Box(name=name, kind=kind, shape=" × ".join(map(str, (*outputs, "?"))), place="cpu")


def box(name: str, layer: Any, *, note: str = "") -> Box:
    """Describe a live layer; called in the worker."""
    kind = type(layer).__name__
    place = str(layer.weight.device)
    if kind.startswith("Lazy"):
        outputs = getattr(layer, "out_features", None) or layer.out_channels
        return Box(name=name, kind=kind, shape=f"{outputs} × ?", place=place, note=note)
    shape = " × ".join(map(str, layer.weight.shape))
    return Box(name=name, kind=kind, shape=shape, place=place, note=note)


def draw(moments: Sequence[Moment], labels: Labels) -> Picture:
    """Draw the moments below each other; boxes without a shape are dashed."""
    parts = []
    for index, moment in enumerate(moments):
        top = ROW * index
        parts.append(_text(0, top + 15, labels[moment.label], "--tp-ink", weight=650))
        parts += _boxes(moment.boxes[:MAX_BOXES], top + TITLE)
    height = ROW * len(moments) - (ROW - TITLE - BOX) + 4
    svg = f'<svg viewBox="0 0 {WIDTH} {height}">{"".join(parts)}</svg>'
    described = "; ".join(
        f"{labels[moment.label]}: "
        + ", ".join(f"{each.name} {each.kind} ({each.shape}) {each.place}" for each in moment.boxes)
        for moment in moments
    )
    return Picture(svg, {"described": described})


def _boxes(boxes: Sequence[Box], top: int) -> Iterator[str]:
    width = (WIDTH - GAP * (len(boxes) - 1)) / max(len(boxes), 2)
    for index, each in enumerate(boxes):
        left = index * (width + GAP)
        fill, _, ink = device_map.colours(each.place)
        share, dash = (0, ' stroke-dasharray="5 4"') if each.is_waiting else (16, "")
        yield (
            f'<rect x="{left + 1:.1f}" y="{top}" width="{width - 2:.1f}" height="{BOX}" rx="8"'
            f' style="fill:color-mix(in srgb,{fill} {share}%,transparent);stroke:{fill}"'
            f' stroke-width="1.8"{dash}/>'
        )
        yield _text(left + 12, top + 18, f"{each.name}  {each.kind}", "--tp-muted")
        yield (
            f'<text x="{left + 12:.1f}" y="{top + 39}" font-size="17" font-weight="650"'
            f' style="fill:{ink}">{html.escape(each.shape)}</text>'
        )
        last = " · ".join(filter(None, (each.place, each.note)))
        yield _text(left + 12, top + 57, last, "--tp-muted")


def _text(x: float, y: float, words: str, colour: str, *, weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" font-weight="{weight}"'
        f' style="fill:var({colour})">{html.escape(words)}</text>'
    )
