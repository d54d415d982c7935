"""Step "constant": a tensor that must move with its block, as an attribute or a buffer."""

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
    fix_field,
)


class Registration(StrEnum):
    """The line that gives the block its constant."""

    ATTRIBUTE = "self.rand_weight = torch.rand(20, 20)"
    BUFFER = 'self.register_buffer("rand_weight", torch.rand(20, 20))'


class Constant(Step):
    """Move FixedHiddenMLP to a device, and call it there."""

    machine: Machine = Machine()
    registration: Registration = Registration.ATTRIBUTE
    device: Device = "cuda:0"
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        line = Registration.BUFFER.value if self.is_fixed else w.registration
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F
            {w.folded}
            class FixedHiddenMLP(nn.Module):
                def __init__(self):
                    super().__init__()
                    {line}
                    self.linear = nn.Linear(20, 20)
                def forward(self, X):
                    X = F.relu(self.linear(X) @ self.rand_weight + 1)
                    return self.linear(X).sum()

            net = FixedHiddenMLP().to({w.device})
            X = torch.rand(2, 20).to({self.literal_device})
            Y = net(X){w.asked}
        """

    @property
    def literal_device(self) -> str:
        """The device as a Python literal."""
        return f'"{self.device}"'

    @property
    def is_buffer(self) -> bool:
        return self.is_fixed or self.registration is Registration.BUFFER

    def answer(self, run: Run) -> Answer:
        """Report the device of each tensor of the block."""
        net, X, Y = run.get("net"), run.get("X"), run.get("Y")
        items = []
        if net is not None:
            items = [
                device_map.item("linear", net.linear.weight),
                replace(device_map.item("rand_weight", net.rand_weight), text="rand"),
            ]
        items += [device_map.item("X", X)] if X is not None else []
        if Y is not None:  # its value is another one at every run
            items += [replace(device_map.item("Y", Y), detail="() float32")]
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(is_moved=net is not None),
            facts={
                "layer_device": None if net is None else str(net.linear.weight.device),
                "constant_device": None if net is None else str(net.rand_weight.device),
                "is_saved": None if net is None else "rand_weight" in net.state_dict(),
            },
            placeholders={"device": self.device},
            fix=self.tried_fix() if net is not None and not self.is_buffer else None,
            data=self.map(*items, works=run.outcome.ok if X is not None else None),
        )

    def explanation(self, *, is_moved: bool) -> str:
        if not is_moved:
            return "no-such-device"
        kind = "buffer" if self.is_buffer else "attribute"
        return f"{kind}-on-the-cpu" if self.device == "cpu" else f"{kind}-and-gpu"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show the tensors on their devices; before the answer only the batch."""
        del labels
        if answer is not None:
            return device_map.draw(answer.data)
        return device_map.draw(self.map(device_map.Item(label="X", place=self.device)))

    def map(self, *items: device_map.Item, works: bool | None = None) -> device_map.DeviceMap:
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
            operation="net(X)" if works is not None else "",
            inputs=("linear", "rand_weight", "X"),
            output="Y" if works else "",
            works=works,
        )
