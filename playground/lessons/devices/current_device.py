"""The current GPU: what `cuda` without an index means, and `.cuda()` without an argument."""

from enum import StrEnum

from playground.palette import Words as Labels
from playground.steps import (
    Answer,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
    number,
    shown_if,
)

ERROR = "error"


class Way(StrEnum):
    """How a GPU becomes the current one; the value is the code that the program shows."""

    SET_DEVICE = "torch.cuda.set_device"
    BLOCK = "with torch.cuda.device"


class Position(StrEnum):
    """Where the line stands, beside a block."""

    INSIDE = "inside"
    AFTER = "after"


class Call(StrEnum):
    """How y is created; the value is the code that the program shows."""

    CUDA = "x.cuda()"
    CUDA_0 = "x.cuda(0)"
    TO_CUDA = 'x.to("cuda")'
    ONES_CUDA = 'torch.ones(2, device="cuda")'
    ONES_CUDA_0 = 'torch.ones(2, device="cuda:0")'
    ONES = "torch.ones(2)"
    RETIRED = "torch.cuda.FloatTensor([1.0, 1.0])"


NAMED = (Call.CUDA_0, Call.ONES_CUDA_0)


class CurrentDevice(Step):
    """Make a GPU the current one, and create a tensor."""

    machine: Machine = Machine()
    way: Way = Way.SET_DEVICE
    index: int = number(0, Machine.MOST_GPUS, default=1)
    call: Call = Call.CUDA
    position: Position = shown_if(Position.INSIDE, way=(Way.BLOCK,))

    def code(self, w: Words) -> str:
        """Choose the GPU, create y, and ask both."""
        chosen = f"{w.way}({w.index})"
        line = f"y = {w.call}{w.asked}"
        if self.way is Way.SET_DEVICE:
            body = [chosen, line]
        elif self.position is Position.INSIDE:
            body = [f"{chosen}:", f"    {line}"]
        else:
            body = [f"{chosen}:", "    print(torch.cuda.current_device())", line]
        lines = [
            "import torch",
            "",
            "x = torch.ones(2)",
            *body,
            "print(y.device, y.get_device())",
            "print(torch.cuda.current_device(), torch.cuda.get_device_name())",
        ]
        return "\n".join(lines)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Every device, or none."""
        return (*devices, ERROR)

    def answer(self, run: Run) -> Answer:
        """Say where y is, and which GPU is the current one in the end."""
        device = run.device_of("y")
        cuda = run["torch"].cuda
        return Answer(
            prediction=device or ERROR,
            explanation=self.explanation(device),
            facts={
                "y_device": device,
                "current": f"cuda:{cuda.current_device()}" if run.outcome.ok else None,
            },
            placeholders={"index": self.index},
            data=self.map(
                *(device_map.item(name, run[name]) for name in ("x", "y") if name in run.names),
                count=cuda.device_count(),
            ),
        )

    def explanation(self, device: str | None) -> str:
        """Choose the explanation that fits this case."""
        if device is None:
            return "refused"
        if self.call is Call.ONES:
            return "no-gpu-asked"
        if self.call in NAMED:
            return "gpu-named"
        return "block-over" if self.position is Position.AFTER else "follows"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show x, and after the answer y."""
        del labels
        x = device_map.Item(label="x", place="cpu")
        return device_map.draw(answer.data if answer else self.map(x))

    def map(self, *items: device_map.Item, count: int | None = None) -> device_map.DeviceMap:
        """Describe the machine with these tensors."""
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine, count),
            is_simulated=self.machine.is_simulated,
            items=items,
        )


def ignores_the_current_gpu(step: CurrentDevice, answer: Answer) -> bool:
    """The tensor is on a GPU, but not on the one that was chosen, although it is there."""
    device = answer.facts["y_device"]
    return device is not None and device not in ("cpu", f"cuda:{step.index}")
