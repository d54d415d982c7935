"""Step on moving a tensor: the move returns a copy, and the original stays."""

from enum import StrEnum
from typing import Any

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
    shown_if,
)

NAMELESS = "nameless"
ERROR = "error"  # in place of a device


class Assignment(StrEnum):
    """The start of the line: the name that gets the returned tensor, and x."""

    NOTHING = "x"
    SAME_NAME = "x = x"
    NEW_NAME = "y = x"


class Method(StrEnum):
    """The value is the code that the program shows."""

    TO = ".to"
    CUDA = ".cuda()"
    CUDA_1 = ".cuda(1)"
    CPU = ".cpu()"


class Move(Step):
    """Move a tensor to another device, and keep or discard the returned tensor."""

    machine: Machine = Machine()
    start: Device = "cpu"
    assignment: Assignment = Assignment.NOTHING
    method: Method = Method.TO
    target: Device = shown_if("cuda:0", method=(Method.TO,))
    requires_grad: bool = shown_if(False, assignment=(Assignment.NEW_NAME,))
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        is_named = self.assignment is Assignment.NEW_NAME
        gradient = f", requires_grad={w.requires_grad}" if is_named else ""
        assignment = Assignment.SAME_NAME if self.is_fixed else w.assignment
        target = f"({w.target})" if self.method is Method.TO else ""
        lines = [
            "import torch",
            "",
            f"x = torch.tensor([1.0, 2.0, 3.0], device={w.start}{gradient})",
            f"{assignment}{w.method}{target}",
            f"print(x.device){w.asked}",
            *(["print(y.device, y is x, y.is_leaf)"] if is_named and not self.is_fixed else []),
        ]
        return "\n".join(lines)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        return (*devices, ERROR)

    def answer(self, run: Run) -> Answer:
        if not run.outcome.ok:
            items = [device_map.item("x", run["x"])] if "x" in run.names else []
            return Answer(
                prediction=ERROR,
                explanation="no-such-device",
                data=self.map(*items),
            )
        x, y = run["x"], run.get("y")
        if self.keeps_nothing:
            y = self.called_on(x)  # once more: what the program made is gone
        is_copy = run.device_of("x") != self.start if y is None else y is not x
        grad_fn = None if y is None or y.grad_fn is None else type(y.grad_fn).__name__
        explanation = self.explanation(is_copy=is_copy, has_history=grad_fn is not None)
        return Answer(
            prediction=str(x.device),
            explanation=explanation,
            facts={
                "x_device": str(x.device),
                "returned_device": str((x if y is None else y).device),
                "is_same_object": not is_copy,
                "grad_fn": grad_fn,
            },
            is_silent_failure=explanation == "copy-is-lost",
            fix=self.tried_fix() if explanation == "copy-is-lost" else None,
            data=self.moved_map(x, y, is_copy=is_copy),
        )

    @property
    def keeps_nothing(self) -> bool:
        return self.assignment is Assignment.NOTHING and not self.is_fixed

    def called_on(self, x: Any) -> Any:
        """Return the result of the move of x."""
        match self.method:
            case Method.TO:
                return x.to(self.target)
            case Method.CUDA:
                return x.cuda()
            case Method.CUDA_1:
                return x.cuda(1)
            case Method.CPU:
                return x.cpu()

    def explanation(self, *, is_copy: bool, has_history: bool) -> str:
        if not is_copy:
            return "already-there"
        if self.keeps_nothing:
            return "copy-is-lost"
        if self.is_fixed or self.assignment is Assignment.SAME_NAME:
            return "name-follows"
        return "copy-is-no-leaf" if has_history else "copy-and-original"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        if answer is None:
            return device_map.draw(self.map(device_map.Item(label="x", place=self.start)))
        data: device_map.DeviceMap = answer.data
        return device_map.draw(data.worded({NAMELESS: labels["nameless"]}))

    def map(self, *items: device_map.Item, copied: str = "") -> device_map.DeviceMap:
        """Describe the machine with these tensors; the second may be a copy of the first."""
        pair = ((items[0].label, items[1].label, copied),) if copied else ()
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
            copies=pair,
        )

    def moved_map(self, x: Any, y: Any, *, is_copy: bool) -> device_map.DeviceMap:
        """Describe which tensor each name refers to after the move."""
        if not is_copy:
            label = "x, y" if self.assignment is Assignment.NEW_NAME and not self.is_fixed else "x"
            return self.map(device_map.item(label, x))
        copied = f"{x.nbytes} B"
        if self.keeps_nothing:
            lost = device_map.item(NAMELESS, y, is_ghost=True)
            return self.map(device_map.item("x", x), lost, copied=copied)
        if y is None:
            original = device_map.Item(label=NAMELESS, place=self.start, is_ghost=True)
            return self.map(original, device_map.item("x", x), copied=copied)
        return self.map(device_map.item("x", x), device_map.item("y", y), copied=copied)


def returns_the_same_object(step: Move, answer: Answer) -> bool:
    """Return whether the move returned x itself, so that nothing was copied."""
    del step
    return answer.facts.get("is_same_object") is True
