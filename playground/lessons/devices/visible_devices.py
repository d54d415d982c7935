"""Step "visible_devices": the physical GPUs that a program sees, and their order."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from playground.errors import InvalidSettingError
from playground.machines.visible_devices import simulated_uuids
from playground.steps import (
    Answer,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
    number,
    shown_if,
    text,
)

LEADING_NUMBER = re.compile(r"\s*([+-]?\d+)")
WIDTH, UPPER, LOWER, BOX = 360, 26, 116, 40
NO_GPU = "no-gpu"


class Variable(StrEnum):
    """The variable that CUDA reads, and a frequent misspelling of it."""

    RIGHT = '"CUDA_VISIBLE_DEVICES"'
    WITHOUT_S = '"CUDA_VISIBLE_DEVICE"'


class Way(StrEnum):
    """The time at which the variable is set, if at all."""

    ENVIRON = "environ"
    MAGIC = "magic"
    LATE = "late"
    NEVER = "never"


IS_SET = (Way.ENVIRON, Way.MAGIC, Way.LATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visible:
    """Data of the picture.

    Attributes:
        mapping: Physical indices in the order of ``cuda:i``; None before the answer.
    """

    physical_gpus: int
    mapping: tuple[int, ...] | None = None


class VisibleDevices(Step):
    """Set the variable on a simulated host, and find the GPU that is ``cuda:0``."""

    value: str = text(128, default="1", only_if={"way": IS_SET})
    variable: Variable = shown_if(Variable.RIGHT, way=IS_SET)
    physical_gpus: int = number(1, Machine.MAX_GPUS, default=4)
    way: Way = Way.ENVIRON

    def __post_init__(self) -> None:
        """Reject a value that no environment variable can hold."""
        super().__post_init__()
        is_encodable = (
            self.value.isascii() or self.value == self.value.encode(errors="ignore").decode()
        )
        if "\0" in self.value or not is_encodable:
            given = ascii(self.value)
            raise InvalidSettingError("choice", field="value", given=given, allowed="1 / 0,2,3")

    def host(self) -> Machine:
        return Machine(gpus=self.physical_gpus)

    def code(self, w: Words) -> str:
        comment = "  # the same as %env" if self.way is Way.MAGIC else ""
        line = f"os.environ[{w.variable}] = {w.value}{comment}"
        asked = f"print(torch.cuda.get_device_name(0)){w.asked}"
        count = "print(torch.accelerator.device_count())"
        if self.way is Way.NEVER:
            lines = ["import torch", "", asked, count]
        elif self.way is Way.LATE:
            start = 'x = torch.ones(1, device="cuda")  # CUDA starts here'
            lines = ["import os", "import torch", "", start, line, asked, count]
        else:
            lines = ["import os", "", line, "", "import torch", "", asked, count]
        return "\n".join(lines)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        del devices
        return (*map(str, range(self.physical_gpus)), NO_GPU)

    def answer(self, run: Run) -> Answer:
        """Report which physical GPU each visible one is."""
        cuda, count = run["torch"].cuda, run["torch"].accelerator.device_count()
        uuids = [uuid.removeprefix("GPU-") for uuid in simulated_uuids(self.physical_gpus)]
        mapping = tuple(
            uuids.index(str(cuda.get_device_properties(index).uuid)) for index in range(count)
        )
        hidden = [index for index in range(self.physical_gpus) if index not in mapping]
        explanation = self.explanation(mapping)
        return Answer(
            prediction=str(mapping[0]) if mapping else NO_GPU,
            explanation=explanation,
            facts={"mapping": ", ".join(map(str, mapping)), "hidden": listed(hidden)},
            placeholders={
                "count": count,
                "first": mapping[0] if mapping else None,
                "physical": self.physical_gpus,
                "last": self.physical_gpus - 1,
            },
            is_silent_failure=explanation in ("misspelt", "too-late", "stopped"),
            data=Visible(physical_gpus=self.physical_gpus, mapping=mapping),
        )

    def explanation(self, mapping: tuple[int, ...]) -> str:
        """Choose the explanation of the first reason that the program meets."""
        if self.way is Way.NEVER:
            return "unset"
        if self.variable is not Variable.RIGHT:
            return "misspelt"
        if self.way is Way.LATE:
            return "too-late"
        if not mapping:
            return self.why_none()
        if len(mapping) < len(self.value.split(",")):
            return "stopped"
        return "same" if mapping == tuple(range(len(mapping))) else "renumbered"

    def why_none(self) -> str:
        """Return why the value hides every GPU; CUDA parses each element like C's strtoul."""
        if not self.value.strip():
            return "empty"
        first = self.value.split(",")[0]
        written = LEADING_NUMBER.match(first)
        if written is None:
            return "no-such-gpu" if first.startswith(("GPU-", "MIG-")) else "word"
        if int(written[1]) < 0:
            return "negative"
        return "no-such-gpu" if int(written[1]) >= self.physical_gpus else "repeated"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Draw physical GPUs above, the program's names below, and the lines between them."""
        visible = answer.data if answer else Visible(physical_gpus=self.physical_gpus)
        return draw(visible, labels)


def listed(indices: tuple[int, ...] | list[int]) -> str | None:
    """Format indices as text; an empty list is None."""
    return ", ".join(map(str, indices)) or None


def draw(visible: Visible, labels: Labels) -> Picture:
    """Draw one box for each physical GPU and each visible one, and the lines between them."""
    mapping = visible.mapping or ()
    lines = [_line(physical, place, visible) for place, physical in enumerate(mapping)]
    parts = [
        _caption(labels["physical_row"], UPPER - 10),
        *lines,
        *_physical_boxes(visible, labels),
        *_visible_boxes(visible),
        _caption(labels["visible_row"], LOWER + BOX + 18),
    ]
    if not mapping:
        words = "?" if visible.mapping is None else labels["nothing_visible"]
        colour = "var(--tp-muted)" if visible.mapping is None else "var(--tp-trouble)"
        parts.append(
            f'<text x="4" y="{LOWER + 26}" font-size="15" font-weight="650"'
            f' style="fill:{colour}">{html.escape(words)}</text>'
        )
    svg = f'<svg viewBox="0 0 {WIDTH} {LOWER + BOX + 28}">{"".join(parts)}</svg>'
    described = "; ".join(f"cuda:{place} = GPU {index}" for place, index in enumerate(mapping))
    return Picture(svg, {"described": described or "—", "boxes": visible.physical_gpus})


def _across(place: int, count: int) -> tuple[float, float]:
    """Return the left edge and the width of a box in a row of equal boxes."""
    width = min(80.0, (WIDTH - 4) / count - 8)
    return 2 + place * (width + 8), width


def _physical_boxes(visible: Visible, labels: Labels) -> Iterator[str]:
    uuids = simulated_uuids(visible.physical_gpus)
    for index, uuid in enumerate(uuids):
        left, width = _across(index, len(uuids))
        is_hidden = visible.mapping is not None and index not in visible.mapping
        colour = "var(--tp-muted)" if is_hidden else "var(--tp-ink)"
        hidden = f" · {labels['hidden']}" if is_hidden else ""
        strike = ' text-decoration="line-through"' if is_hidden else ""
        yield (
            f'<g data-id="gpu-{index}" style="color:{colour}"><title>GPU {index} {uuid}'
            f'{html.escape(hidden)}</title><rect x="{left:g}" y="{UPPER}" width="{width:g}"'
            f' height="{BOX}" rx="8" style="fill:var(--tp-paper);stroke:{colour}"'
            f' stroke-width="1.8" stroke-dasharray="2 4"/><text x="{left + width / 2:g}"'
            f' y="{UPPER + 26}" text-anchor="middle" font-size="15" font-weight="650"'
            f' style="fill:{colour}"{strike}>{index}</text></g>'
        )


def _visible_boxes(visible: Visible) -> Iterator[str]:
    for place, physical in enumerate(visible.mapping or ()):
        left, width = _across(place, visible.physical_gpus)
        fill, _, ink = device_map.colours(f"cuda:{place}")
        name = f"cuda:{place}" if width > 56 else str(place)  # eight names do not fit
        yield (
            f'<g data-id="visible-{physical}"><title>cuda:{place} = GPU {physical}</title>'
            f'<rect x="{left:g}" y="{LOWER}" width="{width:g}" height="{BOX}" rx="8"'
            f' style="fill:color-mix(in srgb,{fill} 12%,transparent);stroke:{fill}"'
            f' stroke-width="1.8" stroke-dasharray="2 4"/><text x="{left + width / 2:g}"'
            f' y="{LOWER + 25}" text-anchor="middle" font-size="14" font-weight="650"'
            f' style="fill:{ink}">{name}</text></g>'
        )


def _line(physical: int, place: int, visible: Visible) -> str:
    (upper, width), (lower, _) = (
        _across(each, visible.physical_gpus) for each in (physical, place)
    )
    x, to_x, middle = upper + width / 2, lower + width / 2, (UPPER + BOX + LOWER) / 2
    return (
        f'<path data-id="line-{physical}" d="M{x:g} {UPPER + BOX} C{x:g} {middle:g}'
        f' {to_x:g} {middle:g} {to_x:g} {LOWER}" fill="none" stroke-width="2.5"'
        f' style="stroke:{device_map.colours(f"cuda:{place}")[0]}"/>'
    )


def _caption(words: str, y: float) -> str:
    return (
        f'<text x="4" y="{y}" font-size="13" style="fill:var(--tp-muted)">'
        f"{html.escape(words)}</text>"
    )


def last_first(step: VisibleDevices, answer: Answer) -> bool:
    """Check that physical GPU 3 is ``cuda:0`` and physical GPU 1 is ``cuda:1``."""
    del step
    return str(answer.facts["mapping"]).split(", ")[:2] == ["3", "1"]


def list_that_hides(step: VisibleDevices, answer: Answer) -> bool:
    """Check that the value names only GPUs that exist, and none of them is visible."""
    named = [each.strip() for each in step.value.split(",")]
    known = {str(index) for index in range(step.physical_gpus)}
    return answer.facts["mapping"] == "" and {*named} <= known


def shows_all(step: VisibleDevices, answer: Answer) -> bool:
    """Check that the variable is set in time, and every GPU is visible."""
    is_read = step.way in (Way.ENVIRON, Way.MAGIC) and step.variable is Variable.RIGHT
    return is_read and answer.facts["hidden"] is None
