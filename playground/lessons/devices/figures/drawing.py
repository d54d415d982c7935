"""What the pictures of this lesson are drawn with: places, boxes, words; heights are in pixels."""

from dataclasses import dataclass

from playground.machines.machine import DeviceName
from playground.palette import DeviceColour, Palette
from playground.sketch import MONOSPACE, Sketch, tinted

WIDTH = 100.0  # across, so that text fits at every width
COLUMNS = 3
GAP = 2.0
LABEL = 16.0  # from the upper edge of a place to the middle of its name
TINT = 0.08
SANS = "Source Sans, sans-serif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle with its lower left corner at (x, y)."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> float:
        """Its middle, across."""
        return self.x + self.width / 2

    @property
    def middle(self) -> float:
        """Its middle, upwards."""
        return self.y + self.height / 2

    @property
    def label_y(self) -> float:
        """Where the name of a place stands."""
        return self.y + self.height - LABEL


def blank(palette: Palette, height: float) -> Sketch:
    """An empty sketch."""
    return Sketch(
        palette,
        height=height + 8,
        across=(-0.5, WIDTH + 0.5),
        upwards=(-1, height + 1),
        margin=(1, 4),
        font={"family": SANS},
        hover_font={"family": SANS},
    )


def grid(count: int, row_height: float) -> list[Box]:
    """Places for so many devices, at most three in a row, from the upper left."""
    columns = min(count, COLUMNS)
    rows = -(-count // COLUMNS)
    width = (WIDTH - GAP * (columns - 1)) / columns
    return [
        Box(
            x=(index % COLUMNS) * (width + GAP),
            y=(rows - 1 - index // COLUMNS) * (row_height + 8),
            width=width,
            height=row_height,
        )
        for index in range(count)
    ]


def row(count: int, y: float, *, height: float = 44, most_width: float = 20) -> list[Box]:
    """Places side by side in one row, whatever their number."""
    width = min(most_width, WIDTH / max(count, 1) - GAP)
    return [Box(x=n * (width + GAP), y=y, width=width, height=height) for n in range(count)]


def sheet(palette: Palette, boxes: list[Box]) -> Sketch:
    """An empty sketch that the boxes fill."""
    return blank(palette, max((box.y + box.height for box in boxes), default=0))


def draw(
    sketch: Sketch,
    box: Box,
    *,
    fill: str,
    line: str,
    dash: str = "solid",
    weight: float = 1.5,
    hover: str = "",
    pattern: str = "",
) -> None:
    """Draw a rectangle; its hover text appears over the whole of it."""
    right, top = box.x + box.width, box.y + box.height
    hatch = {"shape": pattern, "size": 6, "solidity": 0.15, "fillmode": "overlay"}
    sketch.add_scatter(
        x=[box.x, right, right, box.x, box.x],
        y=[box.y, box.y, top, top, box.y],
        mode="lines",
        fill="toself",
        fillcolor=fill,
        fillpattern=hatch if pattern else None,
        line={"color": line, "dash": dash, "width": weight},
        hoveron="fills",
        text=hover,
        hoverinfo="text" if hover else "skip",
    )


def place(
    sketch: Sketch,
    palette: Palette,
    box: Box,
    name: DeviceName,
    *,
    is_simulated: bool,
    hover: str = "",
    weight: float = 1.5,
    anchor: str = "center",
) -> None:
    """Draw a device as a place with its name; simulated ones are dotted, the fifth on hatched."""
    colour = palette.device(name)
    draw(
        sketch,
        box,
        fill=tinted(colour.fill, TINT),
        line=colour.fill,
        dash="dot" if is_simulated else "solid",
        weight=weight,
        hover=hover or name,
        pattern="/" if is_repeated(name, palette) else "",
    )
    x = box.centre if anchor == "center" else box.x + 2
    label(sketch, x, box.label_y, name, colour, anchor=anchor)


def label(
    sketch: Sketch, x: float, y: float, name: str, colour: DeviceColour, *, anchor: str
) -> None:
    """Write the name of a device in its colour."""
    write(sketch, x, y, f"<b>{name}</b>", colour.text, anchor=anchor)


def write(
    sketch: Sketch,
    x: float,
    y: float,
    text: str,
    colour: str,
    *,
    size: int = 13,
    anchor: str = "center",
    is_code: bool = False,
) -> None:
    """Write one line whose middle is at ``y``."""
    # As a trace: an annotation measures its box before the page's font has come.
    sketch.add_scatter(
        x=[x],
        y=[y],
        text=[text],
        mode="text",
        textposition="middle right" if anchor == "left" else "middle center",
        textfont={"color": colour, "size": size, "family": MONOSPACE if is_code else SANS},
        cliponaxis=False,
        hoverinfo="skip",
    )


def join(sketch: Sketch, upper: Box, lower: Box, colour: str) -> None:
    """Draw a line from the lower edge of one box to the upper edge of another."""
    sketch.add_scatter(
        x=[upper.centre, upper.centre, lower.centre, lower.centre],
        y=[upper.y, upper.y - 12, lower.y + lower.height + 12, lower.y + lower.height],
        mode="lines",
        line={"color": colour, "width": 2.5, "shape": "spline", "smoothing": 0.6},
        hoverinfo="skip",
    )


def is_repeated(name: DeviceName, palette: Palette) -> bool:
    """Whether a device's colour is another's too, so that it needs a pattern."""
    kind, _, index = name.partition(":")
    return kind == "cuda" and int(index or 0) >= len(palette.devices)
