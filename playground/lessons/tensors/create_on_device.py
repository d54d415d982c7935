"""Step on creating a tensor on a device: directly, or on the CPU with a copy."""

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

NAMELESS = "nameless"
DETAIL = "(2, 3) float32"


class Way(StrEnum):
    """Ways to create the tensor; the value is the code that the program shows."""

    MOVED = "torch.ones(2, 3).to(device)"
    DIRECT = "torch.ones(2, 3, device=device)"
    LEGACY = "torch.cuda.FloatTensor(2, 3)"


class CreateOnDevice(Step):
    """Create a tensor on a device, directly or through the CPU."""

    machine: Machine = Machine()
    device: Device = "cuda:0"
    way: Way = Way.MOVED

    def code(self, w: Words) -> str:
        return f"""
            import torch

            device = {w.device}
            y = {w.way}{w.asked}
            print(y.device)
        """

    def answer(self, run: Run) -> Answer:
        """Count the tensors; create the one on the CPU again to see whether it is y."""
        if not run.outcome.ok:
            return Answer(
                prediction=run.outcome.error_type, explanation="no-such-device", data=self.map()
            )
        y = run["y"]
        is_copied = self.way is Way.MOVED and y.device.type != "cpu"
        host_bytes = y.nbytes * (is_copied or y.device.type == "cpu")
        tensors_made = 1 + is_copied
        items = [device_map.Item(label="y", place=str(y.device), detail=DETAIL)]
        if is_copied:
            first = device_map.Item(label=NAMELESS, place="cpu", detail=DETAIL, is_ghost=True)
            items.insert(0, first)
        return Answer(
            prediction=str(tensors_made),
            explanation=self.explanation(is_copied=is_copied),
            facts={
                "y_device": str(y.device),
                "tensors_made": tensors_made,
                "host_bytes": host_bytes,
                "copied_bytes": y.nbytes * is_copied,
            },
            is_silent_failure=str(y.device) != self.device,
            data=self.map(*items, copied=f"{y.nbytes} B" if is_copied else ""),
        )

    def explanation(self, *, is_copied: bool) -> str:
        if self.way is Way.LEGACY:
            return "old-spelling"
        if self.way is Way.DIRECT:
            return "made-there"
        return "made-then-copied" if is_copied else "made-and-stayed"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        data: device_map.DeviceMap = answer.data if answer else self.map()
        return device_map.draw(data.worded({NAMELESS: labels["nameless"]}))

    def map(self, *items: device_map.Item, copied: str = "") -> device_map.DeviceMap:
        """Describe the machine with these tensors."""
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
            copies=((NAMELESS, "y", copied),) if copied else (),
        )
