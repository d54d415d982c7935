"""Where everything stands on the device map: boxes, tensors, the node, the ways between them."""

from dataclasses import dataclass

from playground.lessons.tensors.figures.canvas import NARROWEST
from playground.lessons.tensors.records import Meeting, Resident, Scene
from playground.machines.machine import DeviceName

BOX_HEIGHT = 84
ROW_GAP = 20
GUTTER = 0.045  # between columns; the ways from upper rows go down through it
EDGE = 3
NODE_BAND = 92
NODE_Y = 48
TILES = (28, 28, 28, 24, 20)  # px, by how many stand side by side, on a phone as well
CORNER = 5  # radius where a way turns, px
CHARACTER = 7.4  # px, of the code font at 12 px

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A device's place."""

    left: float
    right: float
    bottom: float
    top: float
    row: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Every position of one map.

    Attributes:
        tiles: The centre of each tensor, by label.
        crowds: How many tensors are on each device.
        node: The centre of the operation, where there is one.
    """

    height: int
    columns: int
    rows: int
    boxes: dict[DeviceName, Box]
    tiles: dict[str, Point]
    crowds: dict[DeviceName, int]
    node: Point | None

    def tile_size(self, device: DeviceName) -> int:
        """How large the tensors on a device may be drawn, px."""
        return TILES[min(self.crowds[device], len(TILES) - 1)]

    def way(self, resident: Resident, lane: int) -> tuple[Point, ...]:
        """The line from a tensor to the node, around all other places.

        Args:
            resident: The tensor.
            lane: Which of several lines this is; each keeps a small distance to the others.
        """
        if self.node is None:
            return ()
        x, y = self.tiles[resident.label]
        box = self.boxes[resident.device]
        end = (self.node[0], self.node[1] + 17)
        start = (x, y - self.tile_size(resident.device) / 2)
        if box.row == self.rows - 1:
            return (start, *_curve((x, box.bottom), end))
        gap = box.bottom - ROW_GAP / 2 + 3 * lane - 3
        gutter = self._gutter(box) + 0.008 * lane
        floor = NODE_BAND + EDGE
        corners = _round((start, (x, gap), (gutter, gap), (gutter, floor)))
        return (*corners, *_curve((gutter, floor), end))

    def _gutter(self, box: Box) -> float:
        is_last = box.column == self.columns - 1
        return box.left - GUTTER * 0.66 if is_last else box.right + GUTTER * 0.33


def lay_out(scene: Scene) -> Layout:
    """Find a place for everything in a scene."""
    count = len(scene.devices)
    columns = 2 if count == 4 else min(count, 3)
    rows = -(-count // columns)
    band = NODE_BAND if scene.meeting else 0
    height = band + rows * BOX_HEIGHT + (rows - 1) * ROW_GAP + 2 * EDGE
    width = (1 - (columns - 1) * GUTTER - 0.02) / columns
    boxes = {}
    for index, device in enumerate(scene.devices):
        row, column = divmod(index, columns)
        left = 0.01 + column * (width + GUTTER)
        top = height - EDGE - row * (BOX_HEIGHT + ROW_GAP)
        boxes[device] = Box(
            left=left,
            right=left + width,
            bottom=top - BOX_HEIGHT,
            top=top,
            row=row,
            column=column,
        )
    tiles = _place_tiles(scene, boxes)
    return Layout(
        height=height,
        columns=columns,
        rows=rows,
        boxes=boxes,
        tiles=tiles,
        crowds={device: sum(each.device == device for each in scene.residents) for device in boxes},
        node=_place_node(scene.meeting, tiles) if scene.meeting else None,
    )


def _place_tiles(scene: Scene, boxes: dict[DeviceName, Box]) -> dict[str, Point]:
    tiles = {}
    for device, box in boxes.items():
        here = [each for each in scene.residents if each.device == device]
        for index, resident in enumerate(here):
            share = (index + 0.5) / len(here)
            x = box.left + (box.right - box.left) * share
            tiles[resident.label] = (x, box.bottom + 32.0)
    return tiles


def _place_node(meeting: Meeting, tiles: dict[str, Point]) -> Point:
    """Put the node between its tensors, as far as its formula has room."""
    labels = [label for label in (*meeting.inputs, meeting.output) if label in tiles]
    middle = sum(tiles[label][0] for label in labels) / len(labels) if labels else 0.5
    half = min(0.5, (len(meeting.formula) * CHARACTER / 2 + 4) / NARROWEST)
    return (min(max(middle, half, 0.08), 1 - max(half, 0.08)), float(NODE_Y))


def _curve(start: Point, end: Point, steps: int = 12) -> tuple[Point, ...]:
    """A cubic curve that leaves downwards and arrives downwards."""
    bend = (start[1] + end[1]) / 2
    points = []
    for step in range(steps + 1):
        share = step / steps
        rest = 1 - share
        weights = (rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3)
        xs, ys = (start[0], start[0], end[0], end[0]), (start[1], bend, bend, end[1])
        points.append(
            (
                sum(weight * x for weight, x in zip(weights, xs, strict=True)),
                sum(weight * y for weight, y in zip(weights, ys, strict=True)),
            )
        )
    return tuple(points)


def _round(corners: tuple[Point, ...]) -> tuple[Point, ...]:
    """A way along these corners, each of them cut a little."""
    points = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        points += [_towards(corner, before), _towards(corner, after)]
    return (*points, corners[-1])


def _towards(corner: Point, other: Point) -> Point:
    across = max(-CORNER / NARROWEST, min(CORNER / NARROWEST, other[0] - corner[0]))
    up = max(-CORNER, min(CORNER, other[1] - corner[1]))
    return (corner[0] + across, corner[1] + up)
