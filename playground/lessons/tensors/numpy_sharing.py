"""Step on converting a tensor to an array: shared memory, copies and errors."""

from enum import StrEnum
from typing import Any

from playground.lessons.tensors import shared_memory
from playground.steps import (
    Answer,
    Device,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    fix_field,
)

BEFORE = ("1", "2", "3")


class Chain(StrEnum):
    """The value is the code that the program shows."""

    NUMPY = "x.numpy()"
    CPU = "x.cpu().numpy()"
    DETACH = "x.detach().numpy()"
    DETACH_CPU = "x.detach().cpu().numpy()"
    FORCE = "x.numpy(force=True)"


class Edit(StrEnum):
    """The value is the code that the program shows."""

    ARRAY = "a[0] = 100"
    TENSOR = "x += 1"
    REBOUND = "x = x + 1"


class NumpySharing(Step):
    """Make an array from a tensor, then edit one of them."""

    machine: Machine = Machine()
    device: Device = "cpu"
    requires_grad: bool = False
    chain: Chain = Chain.NUMPY
    edit: Edit = Edit.ARRAY
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        x = "[1.0, 2.0, 3.0]"
        chain = Chain.DETACH_CPU if self.is_fixed else w.chain
        return f"""
            import torch

            x = torch.tensor({x}, device={w.device}, requires_grad={w.requires_grad})
            a = {chain}
            {w.edit}{w.asked}
            print(x)
            print(a)
        """

    def answer(self, run: Run) -> Answer:
        x, a = run.get("x"), run.get("a")
        if not run.outcome.ok:
            is_conversion = x is not None and a is None
            return Answer(
                prediction=run.outcome.error_type,
                explanation=self.refusal(run, is_conversion=is_conversion),
                placeholders={"device": self.device},
                fix=self.tried_fix() if is_conversion else None,
                data=() if x is None else self.memory(x, a),
            )
        is_both = texts(x) != BEFORE and texts(a) != BEFORE
        if self.edit is Edit.REBOUND:
            explanation = "name-moved-on" if self.device == "cpu" else "rebound-elsewhere"
        elif not is_both:
            explanation = "two-memories"
        elif self.requires_grad:
            explanation = "one-memory-unrecorded"
        else:
            explanation = "one-memory"
        return Answer(
            prediction="both" if is_both else "one",
            explanation=explanation,
            facts={"x_values": " ".join(texts(x)), "array_values": " ".join(texts(a))},
            placeholders={"device": self.device},
            is_silent_failure=explanation == "one-memory-unrecorded",
            data=self.memory(x, a),
        )

    def refusal(self, run: Run, *, is_conversion: bool) -> str:
        """Choose the explanation of an error."""
        if "x" not in run.names:
            return "no-such-device"
        if not is_conversion:
            return "leaf-in-place"
        return "needs-host" if run.outcome.error_type == "TypeError" else "needs-detach"

    def memory(self, x: Any, a: Any) -> tuple[shared_memory.Strip, ...]:
        """Describe the memory of both names."""
        x_values = texts(x)
        changed = changes(x_values)
        place = str(x.device)
        if a is None:
            return (shared_memory.Strip(place=place, values=x_values, names=("x",)),)
        if x.device.type == "cpu" and x.data_ptr() == a.ctypes.data:
            both = ("x", "a")
            return (shared_memory.Strip(place=place, values=x_values, changed=changed, names=both),)
        array = texts(a)
        return (
            shared_memory.Strip(place=place, values=x_values, changed=changed, names=("x",)),
            shared_memory.Strip(place="cpu", values=array, changed=changes(array), names=("a",)),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        if answer is None:
            x = shared_memory.Strip(place=self.device, values=BEFORE, names=("x",))
            return shared_memory.draw((x,), unknown="a")
        strips: tuple[shared_memory.Strip, ...] = answer.data
        bound = [name for each in strips for name in each.names]
        return shared_memory.draw(strips, unknown="" if "a" in bound else "a")


def texts(values: Any) -> tuple[str, ...]:
    """Format the values of a tensor or an array."""
    return tuple(f"{value:g}" for value in values.tolist())


def changes(values: tuple[str, ...]) -> tuple[int, ...]:
    """Return the indices of the values that have changed."""
    return tuple(index for index, value in enumerate(values) if value != BEFORE[index])


def array_despite_gradient_and_gpu(step: NumpySharing, answer: Answer) -> bool:
    """Return whether a tensor on a GPU that requires a gradient became an array."""
    return answer.outcome.ok and step.requires_grad and step.device != "cpu"


def edits_only_one_side_on_the_cpu(step: NumpySharing, answer: Answer) -> bool:
    """Return whether both are in host memory, and only one of them changed."""
    return step.device == "cpu" and answer.prediction == "one"
