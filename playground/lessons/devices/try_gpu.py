"""Step "try_gpu": the helper that falls back to the CPU without a message."""

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
    fix_field,
    number,
)

DEFINITION = '''
import torch

def num_gpus():
    return torch.cuda.device_count()
{folded}
def try_gpu(i=0):
    """Return GPU i if it exists, otherwise the CPU."""
    if num_gpus() >= i + 1:
        return torch.device(f"cuda:{{i}}")
    {report}return torch.device("cpu")

'''
REPORT = 'print(f"no cuda:{i} here, using the CPU")\n    '
ERROR = "error"


class Use(StrEnum):
    """The line that gets a tensor on GPU i; the value is its code."""

    HELPER = "torch.ones(2, 3, device=try_gpu({i}))"
    CUDA = "torch.ones(2, 3).cuda({i})"


class TryGpu(Step):
    """Request a GPU that may not exist, by the helper or directly."""

    machine: Machine = Machine()
    index: int = number(0, Machine.MAX_GPUS, default=2)
    use: Use = Use.HELPER
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        definition = DEFINITION.format(folded=w.folded, report=REPORT if self.is_fixed else "")
        return f"{definition}X = {self.use.format(i=w.index)}{w.asked}\nprint(X.device)\n"

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        del devices
        return f"cuda:{self.index}", "cpu", ERROR

    def answer(self, run: Run) -> Answer:
        device = run.device_of("X")
        explanation = self.explanation(device)
        return Answer(
            prediction=device or ERROR,
            explanation=explanation,
            facts={"device": device, "num_gpus": run["num_gpus"]()},
            placeholders={"requested": f"cuda:{self.index}"},
            fix=self.tried_fix() if explanation == "fell-back" else None,
            is_silent_failure=explanation == "fell-back",
            data=self.map(
                *([device_map.item("X", run["X"])] if device else []),
                count=run["torch"].cuda.device_count(),
            ),
        )

    def explanation(self, device: str | None) -> str:
        if device is None:
            return "refused"
        if device == f"cuda:{self.index}":
            return "got-gpu"
        return "reported" if self.is_fixed else "fell-back"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        return device_map.draw(answer.data if answer else self.map())

    def map(self, *items: device_map.Item, count: int | None = None) -> device_map.DeviceMap:
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine, count),
            is_simulated=self.machine.is_simulated,
            items=items,
        )


def is_told_of_the_cpu(step: TryGpu, answer: Answer) -> bool:
    """Check that the GPU is missing, the tensor is on the CPU, and the program says so."""
    del step
    return answer.explanation == "reported"
