"""Step "default_device": the default device, and the functions that ignore it."""

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

ERROR, CPU = "error", "cpu"


class Way(StrEnum):
    """The way a device becomes the default; the value is the code that the program shows."""

    SET_DEFAULT_DEVICE = "torch.set_default_device"
    BLOCK = "with torch.device"


class Factory(StrEnum):
    """The line that creates y; the value is the code that the program shows."""

    FROM_NUMPY = "torch.from_numpy(a)"
    AS_TENSOR = "torch.as_tensor(a)"
    ONES = "torch.ones(2)"
    TENSOR = "torch.tensor([1.0, 1.0])"
    LINEAR = "torch.nn.Linear(2, 1).weight"
    ZEROS_LIKE = "torch.zeros_like(x)"
    OLD_CONSTRUCTOR = "torch.Tensor([1.0, 1.0])"
    ONES_CPU = 'torch.ones(2, device="cpu")'


OF_THE_ARRAY = (Factory.FROM_NUMPY, Factory.AS_TENSOR)
IGNORES = {
    Factory.FROM_NUMPY: "shares-memory",
    Factory.ZEROS_LIKE: "follows-tensor",
    Factory.OLD_CONSTRUCTOR: "old-constructor",
    Factory.ONES_CPU: "names-device",
}


class DefaultDevice(Step):
    """Set a default device, and create a tensor in one of several ways."""

    machine: Machine = Machine()
    way: Way = Way.SET_DEFAULT_DEVICE
    device: Device = "cuda:1"
    factory: Factory = Factory.FROM_NUMPY

    def code(self, w: Words) -> str:
        line = f"y = {w.factory}{w.asked}"
        if self.way is Way.BLOCK:
            body = [f"{w.way}({w.device}):", f"    {line}"]
        else:
            body = [f"{w.way}({w.device})", line]
        lines = [
            "import numpy as np",
            "import torch",
            "",
            "a, x = np.ones(2), torch.ones(2)",
            *body,
            "print(y.device, torch.get_default_device())",
        ]
        return "\n".join(lines)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        return (*devices, ERROR)

    def answer(self, run: Run) -> Answer:
        device = run.device_of("y")
        explanation = self.explanation(device)
        items = [device_map.item("x", run["x"])]
        if explanation in ("shares-memory", "shares-on-cpu"):
            items.append(device_map.Item(label="a", place=CPU, detail="ndarray"))
        if device:
            items.append(device_map.item("y", run["y"]))
        return Answer(
            prediction=device or ERROR,
            explanation=explanation,
            facts={"y_device": device},
            placeholders={"default": self.device},
            is_silent_failure=explanation in IGNORES.values() and device != self.device,
            data=self.map(*items),
        )

    def explanation(self, device: str | None) -> str:
        if device is None:
            return "not-there"
        if self.device == CPU and self.factory in OF_THE_ARRAY:
            return "shares-on-cpu"
        return IGNORES.get(self.factory, "follows")

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        x = device_map.Item(label="x", place=CPU)
        return device_map.draw(answer.data if answer else self.map(x))

    def map(self, *items: device_map.Item) -> device_map.DeviceMap:
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
        )


def array_follows(step: DefaultDevice, answer: Answer) -> bool:
    """Check that a tensor made of the array is on the default device, a GPU."""
    return step.factory in OF_THE_ARRAY and step.device == answer.facts["y_device"] != CPU
