"""Step on an operation with two tensors on different devices."""

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
    literal,
    shown_if,
)

NAMED_ARGUMENT = re.compile(r"but got (\w+) is on ")


class Operation(StrEnum):
    """The value is the code that the program shows."""

    ADD = "{X} + {Y}"
    MATMUL = "{X} @ {Y}"
    LINEAR = "F.linear({X}, {Y}, {b})"
    CAT = "torch.cat([{X}, {Y}])"
    WHERE = "torch.where({X} > 2, {X}, {Y})"
    INDEXING = "{X}[{Y}]"


class ZeroDim(StrEnum):
    """The tensor that holds one value without dimensions."""

    NEITHER = "neither"
    LEFT = "left"
    RIGHT = "right"


class SameDeviceError(Step):
    """Combine X and Y, each on a device of its own."""

    machine: Machine = Machine()
    left: Device = "cuda:0"
    right: Device = "cpu"
    operation: Operation = Operation.ADD
    zero_dim: ZeroDim = shown_if(ZeroDim.NEITHER, operation=(Operation.ADD, Operation.WHERE))
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        x = "3.0" if self.zero_dim is ZeroDim.LEFT else "[[1., 2.], [3., 4.]]"
        y = "10.0" if self.zero_dim is ZeroDim.RIGHT else "[[10., 20.], [30., 40.]]"
        y = "[1, 0]" if self.operation is Operation.INDEXING else y
        is_linear = self.operation is Operation.LINEAR
        lines = [
            "import torch",
            *(["import torch.nn.functional as F"] if is_linear else []),
            "",
            f"X = torch.tensor({x}, device={w.left})",
            f"Y = torch.tensor({y}, device={w.right})",
            *([f"b = torch.tensor([100., 200.], device={w.right})"] if is_linear else []),
            f"Z = {self.combined(w)}{w.asked}",
            "print(Z)",
        ]
        return "\n".join(lines)

    def combined(self, w: Words) -> str:
        """Write the operation on both; if fixed, move every tensor to the device of X."""
        moved = f".to({literal(self.left)})" if self.is_fixed else ""
        return w.operation.format(X="X", Y=f"Y{moved}", b=f"b{moved}")

    def answer(self, run: Run) -> Answer:
        """Quote PyTorch's error, and try the one-line fix."""
        Z, named = run.get("Z"), NAMED_ARGUMENT.search(run.outcome.message)
        names = [name for name in ("X", "Y", "b") if name in run.names]
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(run, is_named=named is not None),
            facts={
                "result_device": run.device_of("Z"),
                "result_values": None if Z is None else str(Z.tolist()),
                "named_argument": named[1] if named else None,
            },
            placeholders={"left": self.left, "right": self.right},
            fix=self.tried_fix() if "Y" in names and not run.outcome.ok else None,
            data=self.map(
                *(device_map.item(name, run[name]) for name in names),
                *([device_map.item("Z", Z)] if Z is not None else []),
                works=run.outcome.ok,
            ),
        )

    def explanation(self, run: Run, *, is_named: bool) -> str:
        if run.outcome.ok:
            if self.left == self.right:
                return "same-place"
            if self.is_fixed:
                return "brought-together"
            return (
                "index-may-stay" if self.operation is Operation.INDEXING else "one-value-may-stay"
            )
        if "Y" not in run.names:
            return "no-such-device"
        if is_named:
            return "names-argument"
        if "at least two devices" not in run.outcome.message:
            return "index-rule"
        return "names-devices" if self.zero_dim is ZeroDim.NEITHER else "one-value-on-gpu"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        if answer is not None:
            return device_map.draw(answer.data)
        extra = ("b",) if self.operation is Operation.LINEAR else ()
        places = {"X": self.left, **dict.fromkeys(("Y", *extra), self.right)}
        items = (device_map.Item(label=name, place=place) for name, place in places.items())
        return device_map.draw(self.map(*items, works=None))

    def map(self, *items: device_map.Item, works: bool | None) -> device_map.DeviceMap:
        """Describe the machine with these tensors and the operation on them."""
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
            operation=self.operation.format(X="X", Y="Y", b="b"),
            inputs=tuple(each.label for each in items if each.label != "Z"),
            output="Z" if works else "",
            works=works,
        )


def adds_across_devices(step: SameDeviceError, answer: Answer) -> bool:
    """Return whether a sum of tensors on two devices worked without moving either."""
    is_sum = step.operation is Operation.ADD and not step.is_fixed
    return is_sum and answer.outcome.ok and step.left != step.right


def names_mat1(step: SameDeviceError, answer: Answer) -> bool:
    """Return whether PyTorch's message names the argument ``mat1``."""
    del step
    return answer.facts["named_argument"] == "mat1"
