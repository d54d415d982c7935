"""Step "current_device": the meaning of ``cuda`` without an index, and of ``.cuda()``."""

from enum import StrEnum

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
)

ERROR = "error"


class Way(StrEnum):
    """The way a GPU becomes current; the value is the code that the program shows."""

    SET_DEVICE = "torch.cuda.set_device"
    BLOCK = "with torch.cuda.device"


class Position(StrEnum):
    """The position of the line relative to a block."""

    INSIDE = "inside"
    AFTER = "after"


class Call(StrEnum):
    """The line that creates y; the value is the code that the program shows."""

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
    index: int = number(0, Machine.MAX_GPUS, default=1)
    call: Call = Call.CUDA
    position: Position = shown_if(Position.INSIDE, way=(Way.BLOCK,))

    def code(self, w: Words) -> str:
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
        return (*devices, ERROR)

    def answer(self, run: Run) -> Answer:
        """Report the device of y, and the current GPU at the end."""
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
        if device is None:
            return "refused"
        if self.call is Call.ONES:
            return "no-gpu-asked"
        if self.call in NAMED:
            return "gpu-named"
        return "block-over" if self.position is Position.AFTER else "follows"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        x = device_map.Item(label="x", place="cpu")
        return device_map.draw(answer.data if answer else self.map(x))

    def map(self, *items: device_map.Item, count: int | None = None) -> device_map.DeviceMap:
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine, count),
            is_simulated=self.machine.is_simulated,
            items=items,
        )


def ignores_the_current_gpu(step: CurrentDevice, answer: Answer) -> bool:
    """Check that the tensor is on a GPU other than the chosen one, which exists."""
    device = answer.facts["y_device"]
    return device is not None and device not in ("cpu", f"cuda:{step.index}")
