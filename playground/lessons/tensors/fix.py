"""Step on moving two tensors to one device, and the cost of the copies."""

import re
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
)
from playground.units import grouped

CALL = re.compile(r"([XY])\.(\w+)\(([^)]*)\)")


class Remedy(StrEnum):
    """Ways to move the tensors; the value is the code that the program shows."""

    MOVE_RIGHT = "X + Y.to(X.device)"
    MOVE_LEFT = "X.to(Y.device) + Y"
    TO_CPU = "X.cpu() + Y.cpu()"
    CUDA_1 = "X.cuda(1) + Y"


class Fix(Step):
    """Add a large X and a small Y after one or both of them were moved."""

    machine: Machine = Machine()
    left: Device = "cuda:0"
    right: Device = "cpu"
    remedy: Remedy = Remedy.MOVE_LEFT

    def code(self, w: Words) -> str:
        return f"""
            import torch

            X = torch.ones(1000, 1000, device={w.left})
            Y = torch.ones(1000, device={w.right})
            Z = {w.remedy}{w.asked}
            print(Z.device)
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        return (*devices, "RuntimeError")

    def answer(self, run: Run) -> Answer:
        """Repeat each move to find out which tensors are copied."""
        originals = {name: run[name] for name in "XY" if name in run.names}
        moved = {name: self.moved(name, tensor) for name, tensor in originals.items()}
        copies = {
            name: tensor
            for name, tensor in moved.items()
            if tensor is not None and tensor is not originals[name]
        }
        copied_bytes = sum(each.nbytes for each in copies.values())
        return Answer(
            prediction=run.device_of("Z") or run.outcome.error_type,
            explanation=self.explanation(run, copies),
            facts={
                "result_device": run.device_of("Z"),
                "copied": " ".join(copies) or None,
                "copied_bytes": grouped(copied_bytes) if run.outcome.ok else None,
            },
            placeholders={"left": self.left, "right": self.right},
            data=self.map(run, originals, copies),
        )

    def moved(self, name: str, tensor: Any) -> Any:
        """Return the tensor after the remedy; None if its target device does not exist."""
        for called, method, argument in CALL.findall(self.remedy):
            if called == name:
                other = {"X.device": self.left, "Y.device": self.right, "1": 1}
                try:
                    return getattr(tensor, method)(*([other[argument]] if argument else []))
                except RuntimeError:  # no GPU with that index
                    return None
        return tensor

    def explanation(self, run: Run, copies: dict[str, Any]) -> str:
        if not run.outcome.ok:
            is_apart = "Y" in run.names and "same device" in run.outcome.message
            return "still-apart" if is_apart else "no-such-device"
        if not copies:
            return "nothing-copied"
        return {"X": "large-copied", "Y": "small-copied"}.get("".join(copies), "both-copied")

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        if answer is not None:
            return device_map.draw(answer.data)
        items = [
            device_map.Item(label="X", place=self.left),
            device_map.Item(label="Y", place=self.right),
        ]
        return device_map.draw(
            device_map.DeviceMap(
                devices=device_map.devices_shown(self.machine),
                is_simulated=self.machine.is_simulated,
                items=tuple(items),
                operation=self.remedy,
                inputs=("X", "Y"),
            )
        )

    def map(
        self, run: Run, originals: dict[str, Any], copies: dict[str, Any]
    ) -> device_map.DeviceMap:
        """Describe originals, nameless copies (with a prime) and the result."""
        items = [device_map.item(name, tensor) for name, tensor in originals.items()]
        items += [
            device_map.item(f"{name}′", tensor, is_ghost=True) for name, tensor in copies.items()
        ]
        if run.outcome.ok:
            items.append(device_map.item("Z", run["Z"]))
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=tuple(items),
            copies=tuple(
                (name, f"{name}′", f"{grouped(each.nbytes)} B") for name, each in copies.items()
            ),
            operation=self.remedy,
            inputs=tuple(f"{name}′" if name in copies else name for name in originals),
            output="Z" if run.outcome.ok else "",
            works=run.outcome.ok,
        )


def works_without_moving_x(step: Fix, answer: Answer) -> bool:
    """Return whether the sum works although X and Y were apart and X was not copied."""
    return step.left != step.right and answer.outcome.ok and answer.facts["copied"] == "Y"
