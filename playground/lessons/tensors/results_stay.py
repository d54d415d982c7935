"""Step on the device of a result: that of the inputs, unless the result leaves PyTorch."""

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


class Computation(StrEnum):
    """The value is the code that the program shows."""

    POWER = "x ** 2"
    COMPARE = "x > 1"
    SUM = "x.sum()"
    ITEM = "x.sum().item()"
    GET_DEVICE = "x.get_device()"


class ResultsStay(Step):
    """Compute a result from one tensor, and read the device of the result."""

    machine: Machine = Machine()
    device: Device = "cuda:0"
    computation: Computation = Computation.ITEM

    def code(self, w: Words) -> str:
        return f"""
            import torch

            x = torch.tensor([1.0, 2.0, 3.0], device={w.device})
            y = {w.computation}{w.asked}
            print(y)
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        return (*devices, "no_device")

    def answer(self, run: Run) -> Answer:
        """Read the device of the result; a Python number has none."""
        items = [device_map.item(name, run[name]) for name in ("x", "y") if name in run.names]
        if items[1:] and items[1].place == device_map.PYTHON:
            items[1] = replace(items[1], text=f"y = {run['y']!r}")
        if not run.outcome.ok:
            prediction, explanation = run.outcome.error_type, "no-such-device"
        elif device := run.device_of("y"):
            prediction, explanation = device, "result-stays"
        else:
            prediction = "no_device"
            is_index = self.computation is Computation.GET_DEVICE
            explanation = "device-index" if is_index else "left-torch"
        return Answer(
            prediction=prediction,
            explanation=explanation,
            facts={
                "x_device": run.device_of("x"),
                "y_device": run.device_of("y"),
                "y_type": type(run["y"]).__name__ if "y" in run.names else None,
            },
            placeholders={"y": repr(run.get("y"))},
            data=self.map(*items, works=run.outcome.ok),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        x = device_map.Item(label="x", place=self.device)
        return device_map.draw(answer.data if answer else self.map(x, works=None))

    def map(self, *items: device_map.Item, works: bool | None) -> device_map.DeviceMap:
        """Describe the machine with these values and the computation."""
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
            operation=self.computation,
            inputs=("x",),
            output="y",
            works=works,
            has_python=True,
        )
