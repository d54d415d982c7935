"""Step "device_equality": equality of device objects, where ``cuda`` is not ``cuda:0``."""

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
    literal,
    number,
    one_of,
)

TEXTS = ("cpu", "cuda", "cuda:0", "cuda:1")


class Comparison(StrEnum):
    """The comparison; the value is the code that the program shows."""

    OBJECTS = "a == b"
    TEXT = "a == {right}"


class DeviceEquality(Step):
    """Compare two device objects, or an object and a string, and then two tensors' devices."""

    machine: Machine = Machine()
    left: str = one_of(*TEXTS, default="cuda")
    right: str = one_of(*TEXTS, default="cuda:0")
    comparison: Comparison = Comparison.OBJECTS
    current: int = number(0, 3, default=0)

    def code(self, w: Words) -> str:
        comparison = self.comparison.format(right=literal(self.right))
        switch = [f"torch.cuda.set_device({w.current})"] if self.current else []
        lines = [
            "import torch",
            "",
            f"a = torch.device({w.left})",
            f"b = torch.device({w.right})",
            f"print({w.mark('comparison', comparison)}){w.asked}",
            *switch,
            "x = torch.ones(2, device=a)",
            "y = torch.ones(2, device=b)",
            "print(x.device == y.device)",
        ]
        return "\n".join(lines)

    def answer(self, run: Run) -> Answer:
        """Read the printed comparison and the devices of the tensors."""
        printed = run.printed.splitlines()[0]
        x_device, y_device = run.device_of("x"), run.device_of("y")
        is_together = None if y_device is None else x_device == y_device
        explanation = self.explanation(printed == "True", is_together)
        return Answer(
            prediction=printed,
            explanation=explanation,
            facts={"x_device": x_device, "y_device": y_device, "is_together": is_together},
            is_silent_failure=bool(is_together) and printed == "False",
            data=self.map(
                *(device_map.item(name, run[name]) for name in ("x", "y") if name in run.names)
            ),
        )

    def explanation(self, is_equal: bool, is_together: bool | None) -> str:
        if self.comparison is Comparison.TEXT:
            return "text"
        if is_equal:
            return "equal"
        if is_together is None:
            return "not-there"
        return "same-place" if is_together else "different"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        return device_map.draw(answer.data if answer else self.map())

    def map(self, *tensors: device_map.Item) -> device_map.DeviceMap:
        """Describe the machine; the objects are on no device."""
        names = {"a": self.left, "b": self.right}
        objects = [
            device_map.Item(label=name, place=device_map.PYTHON, detail=text)
            for name, text in names.items()
        ]
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=(*objects, *tensors),
            has_python=True,
        )
