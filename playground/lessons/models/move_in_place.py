"""Step on the same method of modules and tensors: a module moves in place, a tensor is copied."""

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
    one_of,
)

COPY = "copy"


class Method(StrEnum):
    """The value is the code that the program shows."""

    CUDA = ".cuda()"
    CUDA_1 = ".cuda(1)"
    TO = '.to("cuda:1")'
    CPU = ".cpu()"


class Assignment(StrEnum):
    """The start of the line: the name that gets the returned tensor, and x."""

    NOTHING = "x"
    SAME_NAME = "x = x"


ON_GPU = {(True, True): "both", (True, False): "net", (False, True): "x", (False, False): "neither"}


class MoveInPlace(Step):
    """Call the same method on a module and on a tensor, and read the device of both."""

    machine: Machine = Machine()
    start: str = one_of("cpu", "cuda:0", default="cpu")
    method: Method = Method.CUDA
    assignment: Assignment = Assignment.NOTHING
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        assignment = Assignment.SAME_NAME.value if self.is_fixed else w.assignment
        return f"""
            import torch
            from torch import nn

            net = nn.Linear(4, 3, device={w.start})
            x = torch.ones(2, 4, device="{self.start}")
            weight = net.weight
            net{w.method}
            {assignment}{self.method}
            print(net.weight.is_cuda, x.is_cuda){w.asked}
            print(net{self.method} is net, net.weight is weight)
        """

    def answer(self, run: Run) -> Answer:
        net, x = run.get("net"), run.get("x")
        if net is None or x is None or not run.outcome.ok:
            return Answer(
                prediction=run.outcome.error_type,
                explanation="no-such-device",
                placeholders={"method": self.method},
                data=self.map(self.start, self.start),
            )
        net_device, x_device = str(net.weight.device), str(x.device)
        is_apart = net_device != x_device
        explanation = "tensor-stays" if is_apart else "both-moved"
        return Answer(
            prediction=ON_GPU[net.weight.is_cuda, x.is_cuda],
            explanation="already-there" if net_device == self.start else explanation,
            facts={
                "net_device": net_device,
                "x_device": x_device,
                "keeps_parameter": net.weight is run["weight"],
            },
            placeholders={"bytes": x.nbytes},
            is_silent_failure=is_apart,
            fix=self.tried_fix() if is_apart else None,
            data=self.map(net_device, x_device),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        data = answer.data if answer else self.map(self.start, self.start)
        return device_map.draw(data.worded({COPY: labels["copy"]}))

    def map(self, net: str, x: str) -> device_map.DeviceMap:
        """Describe the machine with both, and with the discarded copy."""
        items = [device_map.Item(label="net", place=net), device_map.Item(label="x", place=x)]
        if net != x:
            items.append(device_map.Item(label=COPY, place=net, is_ghost=True))
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=tuple(items),
            copies=(("x", COPY, ""),) if net != x else (),
        )


def tensor_left_on_a_gpu(step: MoveInPlace, answer: Answer) -> bool:
    """Return whether the network is on the CPU, and the tensor still on the GPU."""
    del step
    return answer.prediction == "x"
