"""Step on creating a tensor like another one, with its device and dtype."""

from dataclasses import replace
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


class DataType(StrEnum):
    """The value is the code that the program shows."""

    FLOAT64 = "torch.float64"
    FLOAT16 = "torch.float16"
    INT64 = "torch.int64"


class Alike(StrEnum):
    """The value is the code that the program shows."""

    NEW_TENSOR = "x.new_tensor([1, 2])"
    NEW_ZEROS = "x.new_zeros(2)"
    NEW_FULL = "x.new_full((2,), 0.5)"
    ZEROS_LIKE = "torch.zeros_like(x)"
    ONES_LIKE = "torch.ones_like(x)"
    RAND_LIKE = "torch.rand_like(x)"
    PLAIN = "torch.zeros(2)"
    OWN_DTYPE = "torch.ones_like(x, dtype=torch.int32)"
    OWN_DEVICE = 'x.new_zeros(2, device="cpu")'


class LikeAnotherTensor(Step):
    """Create y with the device and the dtype of x."""

    machine: Machine = Machine()
    device: Device = "cuda:0"
    dtype: DataType = DataType.FLOAT64
    alike: Alike = Alike.NEW_TENSOR

    def code(self, w: Words) -> str:
        return f"""
            import torch

            x = torch.ones(2, dtype={w.dtype}, device={w.device})
            y = {w.alike}
            print(y.dtype, y.device){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        y = run.get("y")
        y_dtype = None if y is None else str(y.dtype)
        return Answer(
            prediction=y_dtype or run.outcome.error_type,
            explanation=self.explanation(run),
            facts={"y_dtype": y_dtype, "y_device": run.device_of("y")},
            placeholders={"x_dtype": self.dtype.value},
            data=self.map(*(self.item(run, name) for name in ("x", "y") if name in run.names)),
        )

    def item(self, run: Run, name: str) -> device_map.Item:
        """Describe a tensor; omit random values, since they differ from run to run."""
        described = device_map.item(name, run[name], caption=short(str(run[name].dtype)))
        if name == "y" and self.alike is Alike.RAND_LIKE:
            return replace(described, detail="(2,)")
        return described

    def explanation(self, run: Run) -> str:
        if not run.outcome.ok:
            return "random-needs-floats" if "x" in run.names else "no-such-device"
        if self.alike in (Alike.OWN_DTYPE, Alike.OWN_DEVICE):
            return "override-wins"
        if self.alike is Alike.PLAIN:
            return "plain-takes-defaults"
        if self.alike is Alike.NEW_FULL and self.dtype is DataType.INT64:
            return "value-cut"
        return "takes-values-too" if self.alike is Alike.NEW_TENSOR else "takes-both"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        x = device_map.Item(label="x", place=self.device, caption=short(self.dtype))
        return device_map.draw(answer.data if answer else self.map(x))

    def map(self, *items: device_map.Item) -> device_map.DeviceMap:
        """Describe the machine with these tensors."""
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
        )


def short(dtype: str) -> str:
    """Return the name of a dtype without its module."""
    return dtype.removeprefix("torch.")
