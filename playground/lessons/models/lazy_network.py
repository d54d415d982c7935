"""Step on moving a lazy network before its weights have values."""

from playground.lessons.models.device_transitions import DeviceTransition, DeviceTransitions, draw
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

WEIGHTS = (0, 2)


class LazyNetwork(Step):
    """Move a network without shapes, then pass it its first batch."""

    machine: Machine = Machine()
    target: Device = "cuda:0"
    batch: Device = "cpu"
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        moved = f'.to("{self.target}")' if self.is_fixed else ""
        return f"""
            import torch
            from torch import nn

            net = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(3))
            net.to({w.target})
            print(net[0].weight)
            X = torch.ones(2, 4, device={w.batch})
            Y = net(X{moved}){w.asked}
            print(Y.device)
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        return (*devices, "nowhere")

    def answer(self, run: Run) -> Answer:
        net, is_lazy, transitions = run["net"], run["torch"].nn.parameter.is_lazy, []
        for place in WEIGHTS:
            weight = net[place].weight
            transitions.append(
                DeviceTransition(
                    names=f"net[{place}].weight",
                    place=str(weight.device),
                    is_empty=is_lazy(weight),
                )
            )
        is_there = not transitions[0].is_empty
        is_apart = not run.outcome.ok and "X" in run.names
        for name in ("X", "Y"):
            if device := run.device_of(name):
                transitions.append(DeviceTransition(names=name, place=device, is_trouble=is_apart))
        explanation = "first-layer-made" if is_apart else "remembers-the-device"
        return Answer(
            prediction=transitions[0].place if is_there else "nowhere",
            explanation=explanation if "X" in run.names else "no-such-device",
            facts={
                "first_type": type(net[0].weight).__name__,
                "last_type": type(net[2].weight).__name__,
                "result_device": run.device_of("Y"),
            },
            placeholders={
                "target": self.target,
                "batch": self.batch,
                "shape": str(tuple(net[0].weight.shape)) if is_there else None,
            },
            fix=self.tried_fix() if is_apart else None,
            data=self.transitions(*transitions),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        if answer is not None:
            return draw(answer.data)
        names = [f"net[{place}].weight" for place in WEIGHTS]
        made = (DeviceTransition(names=name, place="cpu", is_empty=True) for name in names)
        return draw(self.transitions(*made, DeviceTransition(names="X", place=self.batch)))

    def transitions(self, *transitions: DeviceTransition) -> DeviceTransitions:
        """Describe the machine with these transitions."""
        return DeviceTransitions(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            transitions=transitions,
        )


def made_halfway(step: LazyNetwork, answer: Answer) -> bool:
    """Return whether the first layer has its values, and the last one has none."""
    del step
    types = (answer.facts["first_type"], answer.facts["last_type"])
    return types == ("Parameter", "UninitializedParameter")
