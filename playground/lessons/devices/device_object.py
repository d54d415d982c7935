"""Step "device_object": a device object as a label that is not checked against the hardware."""

import re
from typing import Any

from playground.steps import Answer, Labels, Machine, Picture, Run, Step, Words, device_map, one_of

WRITTEN_INDEX = re.compile(r":(\d+)$")
TEXTS = (
    *("cuda:7", "cuda:1", "cuda:0", "cuda", "cpu", "gpu"),
    *("cuda:-1", "cuda:01", "cuda:300", "cuda:256"),
)


class DeviceObject(Step):
    """Make a device object from a string, then a tensor with it."""

    machine: Machine = Machine()
    text: str = one_of(*TEXTS, default="cuda:7")

    def code(self, w: Words) -> str:
        return f"""
            import torch

            device = torch.device({w.text})
            print(device.type, device.index)
            x = torch.ones(2, device=device){w.asked}
            print(x.device)
        """

    def answer(self, run: Run) -> Answer:
        """Report which of the two lines raised an error."""
        device, lands_on = run.get("device"), run.device_of("x")
        explanation = self.explanation(device, lands_on)
        made = "tensor" if lands_on is None else "neither"
        return Answer(
            prediction="object" if device is None else made,
            explanation=explanation,
            facts={
                "device_type": None if device is None else device.type,
                "device_index": None if device is None else str(device.index),
                "lands_on": lands_on,
            },
            placeholders={"text": self.text},
            is_silent_failure=explanation == "wrapped-there",
            data=self.map(
                *([device_map.item("device", device)] if device is not None else []),
                *([device_map.item("x", run["x"])] if lands_on else []),
            ),
        )

    def explanation(self, device: Any, lands_on: str | None) -> str:
        if device is None:
            return "no-such-type" if self.text == "gpu" else "no-such-index"
        written = WRITTEN_INDEX.search(self.text)
        if written and int(written[1]) != device.index:
            return "wrapped-missing" if lands_on is None else "wrapped-there"
        if lands_on is None:
            return "missing"
        return "no-index" if lands_on != self.text else "there"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        return device_map.draw(answer.data if answer else self.map())

    def map(self, *items: device_map.Item) -> device_map.DeviceMap:
        """Describe the machine; the object itself is on no device."""
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
            has_python=True,
        )


def lands_on_another_gpu(step: DeviceObject, answer: Answer) -> bool:
    """Check that the tensor is on a GPU with another index than the program names."""
    del step
    return answer.explanation == "wrapped-there"
