"""Step on ``.to``: one call changes the device, the dtype, or both, and may lose precision."""

import html
from dataclasses import dataclass
from enum import StrEnum

from playground.steps import (
    Answer,
    Device,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
)

FLOAT32 = "float32"


class DataType(StrEnum):
    """The value is the code that the program shows."""

    FLOAT32 = "torch.float32"
    FLOAT64 = "torch.float64"
    FLOAT16 = "torch.float16"
    INT64 = "torch.int64"
    INT8 = "torch.int8"


class Form(StrEnum):
    """The value is the code that the program shows."""

    OTHER = "x.to(other)"
    DEVICE_AND_DTYPE = "x.to(other.device, other.dtype)"
    DEVICE = "x.to(other.device)"
    DTYPE = "x.to(other.dtype)"


@dataclass(frozen=True, slots=True)
class Converted:
    """Plain data of the picture: the map, and the values before and after."""

    map: device_map.DeviceMap
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()


class OneTo(Step):
    """Call ``.to`` once, and compare the tensor before and after."""

    machine: Machine = Machine()
    device: Device = "cpu"
    target: Device = "cuda:0"
    dtype: DataType = DataType.INT64
    form: Form = Form.OTHER

    def code(self, w: Words) -> str:
        return f"""
            import torch

            x = torch.tensor([0.1, 1.5, 2.25], device={w.device})
            other = torch.zeros(1, dtype={w.dtype}, device={w.target})
            y = {w.form}{w.asked}
            print(y)
        """

    def answer(self, run: Run) -> Answer:
        names = [name for name in ("x", "other", "y") if name in run.names]
        items = [
            device_map.item(name, run[name], caption=str(run[name].dtype).removeprefix("torch."))
            for name in names
            if name != "y" or run["y"] is not run["x"]
        ]
        if "y" not in run.names:
            return Answer(
                prediction=run.outcome.error_type,
                explanation="no-such-device",
                data=Converted(self.map(*items)),
            )
        x, y = run["x"], run["y"]
        before, after = tuple(x.tolist()), tuple(y.tolist())
        has_moved, is_converted = x.device != y.device, x.dtype != y.dtype
        prediction = {
            (True, True): "both",
            (True, False): "device",
            (False, True): "dtype",
            (False, False): "neither",
        }[has_moved, is_converted]
        lost = [old for old, new in zip(before, after, strict=True) if old != new]
        return Answer(
            prediction=prediction,
            explanation=self.explanation(prediction, is_exact=not lost),
            facts={
                "y_device": str(y.device),
                "y_dtype": str(y.dtype),
                "y_values": " ".join(map(short, after)),
                "lost": " ".join(map(short, lost)) or None,
            },
            placeholders={"call": self.form.value},
            is_silent_failure=bool(lost),
            data=Converted(self.map(*items, is_same=y is x), before, after),
        )

    def explanation(self, prediction: str, *, is_exact: bool) -> str:
        if prediction == "neither":
            return "nothing-to-do"
        if prediction == "device":
            return "device-only"
        if is_exact:
            return "same-values"
        return "rounded" if self.dtype is DataType.FLOAT16 else "truncated"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        if answer is None:
            x = device_map.Item(label="x", place=self.device, caption=FLOAT32)
            dtype = self.dtype.removeprefix("torch.")
            other = device_map.Item(label="other", place=self.target, caption=dtype)
            return device_map.draw(self.map(x, other))
        data: Converted = answer.data
        rows = [values_row("x", data.before)] if data.before else []
        if data.after:
            rows.append(values_row("y", data.after, data.before))
        return device_map.draw(data.map, rows)

    def map(self, *items: device_map.Item, is_same: bool = False) -> device_map.DeviceMap:
        """Describe the machine with these tensors; y may be x itself."""
        named = device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
        )
        return named.worded({"x": "x, y"}) if is_same else named


def short(value: float) -> str:
    """Format a value with at most six digits."""
    return f"{value:.6g}"


def values_row(name: str, values: tuple[float, ...], before: tuple[float, ...] = ()) -> str:
    """Draw the values of one tensor in a row; highlight those that differ from before."""
    cells = []
    for index, value in enumerate(values):
        is_lost = bool(before) and value != before[index]
        colour = "var(--tp-trouble)" if is_lost else "var(--tp-ink)"
        weight = ' font-weight="700"' if is_lost else ""
        cells.append(
            f'<text x="{130 + 95 * index}" y="16" text-anchor="middle" font-size="14"{weight}'
            f' style="fill:{colour}">{html.escape(short(value))}</text>'
        )
    return (
        f'<g data-id="values-{name}"><text x="40" y="16" font-size="14" font-weight="650"'
        f' style="fill:var(--tp-ink)">{name}</text>{"".join(cells)}</g>'
    )


def converts_without_loss(step: OneTo, answer: Answer) -> bool:
    """Return whether one call changed device and dtype, and no value."""
    del step
    return answer.prediction == "both" and answer.explanation == "same-values"
