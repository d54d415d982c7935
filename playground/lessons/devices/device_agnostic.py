"""Step "device_agnostic": code for any device, and a line that breaks it."""

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
)


class Idiom(StrEnum):
    """The line that chooses the device; the value is the code that the program shows."""

    CUDA = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    ACCELERATOR = 'torch.accelerator.current_accelerator(True) or "cpu"'


class Second(StrEnum):
    """The line that creates the second tensor; the value is the code that the program shows."""

    NO_DEVICE = "torch.ones(3)"
    CUDA = "torch.ones(3).cuda()"
    DEVICE = "torch.ones(3, device=device)"


class Host(StrEnum):
    """The machine that runs it: the visitor's, or a simulated one with some number of GPUs."""

    HERE = "here"
    NO_GPU = "0"
    FOUR_GPUS = "4"


class DeviceAgnostic(Step):
    """Choose a device once, and create two tensors; the second may ignore it."""

    machine: Machine = Machine()
    place: Host = Host.HERE
    idiom: Idiom = Idiom.CUDA
    second: Second = Second.NO_DEVICE
    is_fixed: bool = fix_field()

    def host(self) -> Machine:
        return self.machine if self.place is Host.HERE else Machine(gpus=int(self.place))

    def code(self, w: Words) -> str:
        second = Second.DEVICE if self.is_fixed else w.second
        return f"""
            import torch

            device = {w.idiom}
            X = torch.ones(2, 3, device=device)
            Y = {second}
            Z = X + Y{w.asked}
            print(device, Z.device)
        """

    def answer(self, run: Run) -> Answer:
        """Report whether the program works here, and whether only by luck."""
        explanation = self.explanation(run)
        needs_fix = explanation not in ("portable", "repaired")
        return Answer(
            prediction="works" if run.outcome.ok else "error",
            explanation=explanation,
            facts={"device": str(run["device"]), "result_device": run.device_of("Z")},
            placeholders={"device_of_x": run.device_of("X")},
            fix=self.tried_fix() if needs_fix else None,
            is_silent_failure=run.outcome.ok and needs_fix,
            data=self.map(
                *(device_map.item(name, run[name]) for name in "XYZ" if name in run.names),
                works=run.outcome.ok,
                count=run["torch"].cuda.device_count(),
            ),
        )

    def explanation(self, run: Run) -> str:
        if self.is_fixed:
            return "repaired"
        if self.second is Second.DEVICE:
            return "portable"
        if self.second is Second.CUDA:
            return "cuda-here" if run.outcome.ok else "cuda-missing"
        return "works-by-luck" if run.outcome.ok else "left-on-cpu"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        return device_map.draw(answer.data if answer else self.map())

    def map(
        self, *items: device_map.Item, works: bool | None = None, count: int | None = None
    ) -> device_map.DeviceMap:
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.host(), count),
            is_simulated=self.host().is_simulated,
            items=items,
            operation="X + Y" if len(items) > 1 else "",
            inputs=("X", "Y"),
            output="Z" if works else "",
            works=works,
        )


def runs_without_a_gpu(step: DeviceAgnostic, answer: Answer) -> bool:
    """Check that the program works without a GPU, and would work with one."""
    is_portable = step.is_fixed or step.second is Second.DEVICE
    return step.host().gpus == 0 and is_portable and answer.outcome.ok
