"""Step on a batch and a network on different devices: the error of each kind of layer."""

import re
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

NAMED_ARGUMENT = re.compile(r"but got (\w+) is on ")


class Layer(StrEnum):
    """The value is the code that the program shows."""

    LINEAR = "nn.Linear(4, 3)"
    EMBEDDING = "nn.Embedding(5, 3)"
    BATCH_NORM = "nn.BatchNorm1d(4)"
    CONVOLUTION = "nn.Conv2d(1, 2, kernel_size=3)"
    LSTM = "nn.LSTM(4, 3)"


BATCHES = {
    Layer.EMBEDDING: "torch.tensor([0, 2], ",
    Layer.CONVOLUTION: "torch.ones(2, 1, 5, 5, ",
    Layer.LSTM: "torch.ones(2, 1, 4, ",
}
NAMED = {"mat1": "names-mat1", "index": "names-index", "weight": "names-weight"}


class InputAndModel(Step):
    """Call a layer on one device with a batch on another."""

    machine: Machine = Machine()
    layer: Layer = Layer.LINEAR
    model: Device = "cuda:0"
    batch: Device = "cpu"
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        batch = BATCHES.get(self.layer, "torch.ones(2, 4, ")
        result = "Y, _" if self.layer is Layer.LSTM else "Y"
        moved = f'.to("{self.model}")' if self.is_fixed else ""
        return f"""
            import torch
            from torch import nn

            net = {w.layer}.to({w.model})
            X = {batch}device={w.batch})
            {result} = net(X{moved}){w.asked}
            print(Y.device, Y.requires_grad)
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        return (*devices, "RuntimeError")

    def answer(self, run: Run) -> Answer:
        """Quote PyTorch's error, and try the one-line fix."""
        net, X, Y = run.get("net"), run.get("X"), run.get("Y")
        named = NAMED_ARGUMENT.search(run.outcome.message)
        items = [device_map.item("X", X)] if X is not None else []
        items += [device_map.Item(label="net", place=self.model)] if net is not None else []
        items += [device_map.Item(label="Y", place=str(Y.device))] if Y is not None else []
        return Answer(
            prediction=run.device_of("Y") or run.outcome.error_type,
            explanation=self.explanation(run, named[1] if named else ""),
            facts={
                "result_device": run.device_of("Y"),
                "grad_fn": None if Y is None else type(Y.grad_fn).__name__,
                "named_argument": named[1] if named else None,
            },
            placeholders={
                "batch": self.batch,
                "model": self.model,
                "batch_count": None if X is None else X.numel(),
                "model_count": net and sum(each.numel() for each in net.parameters()),
            },
            fix=self.tried_fix() if X is not None and Y is None else None,
            data=self.map(*items, works=run.outcome.ok),
        )

    def explanation(self, run: Run, named: str) -> str:
        if run.outcome.ok:
            return "together" if self.model == self.batch else "brought-together"
        if "X" not in run.names:
            return "no-such-device"
        if self.layer is Layer.CONVOLUTION and not named:
            return "names-types"
        return NAMED[named] if named else "layer-checks-first"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        known = (
            device_map.Item(label="X", place=self.batch),
            device_map.Item(label="net", place=self.model),
        )
        return device_map.draw(answer.data if answer else self.map(*known, works=None))

    def map(self, *items: device_map.Item, works: bool | None) -> device_map.DeviceMap:
        """Describe the machine with batch, network and result."""
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
            operation="net(X)",
            inputs=("X", "net"),
            output="Y" if works else "",
            works=works,
        )


def blames_the_network(step: InputAndModel, answer: Answer) -> bool:
    """Return whether the message names a tensor of the network, and moving the batch helps."""
    del step
    return answer.facts["named_argument"] == "weight" and answer.fix is not None
