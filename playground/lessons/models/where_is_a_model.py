"""Step on the device of a network: only its parameters have one."""

from enum import StrEnum

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

NAMES = ("0.weight", "0.bias", "2.weight", "2.bias")


class Question(StrEnum):
    """The value is the code that the program shows."""

    NET = "net.device"
    SUBSCRIPT = "parameters[0].device"
    USED_UP = "next(parameters).device"
    NEXT = "next(net.parameters()).device"
    LIST = "list(net.parameters())[0].device"
    EVERY = "sorted({str(p.device) for p in net.parameters()})"


EXPLANATIONS = {
    Question.NET: "module-has-none",
    Question.SUBSCRIPT: "generator-has-no-index",
    Question.USED_UP: "generator-used-up",
    Question.EVERY: "asked-every-one",
}


class WhereIsAModel(Step):
    """Put two layers on devices, and ask for the device of the network."""

    machine: Machine = Machine()
    first: Device = "cuda:0"
    second: Device = "cuda:0"
    question: Question = Question.NET
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        question = Question.NEXT.value if self.is_fixed else w.question
        return f"""
            from torch import nn

            net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
            net[0].to({w.first})
            net[2].to({w.second})
            parameters = net.parameters()
            print(len(list(parameters)), "parameters")
            print({question}){w.asked}
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        return (*devices, "several", "AttributeError", "TypeError", "StopIteration")

    def answer(self, run: Run) -> Answer:
        places = [str(each.device) for each in run["net"].parameters()]
        if "parameters" not in run.names:
            prediction, explanation = run.outcome.error_type, "no-such-device"
        elif not run.outcome.ok:
            prediction, explanation = run.outcome.error_type, EXPLANATIONS[self.question]
        else:
            is_every = self.question is Question.EVERY and not self.is_fixed
            said = {*places} if is_every else {places[0]}
            prediction = said.pop() if len(said) == 1 else "several"
            of_first = "first-of-one" if len({*places}) == 1 else "first-of-two"
            explanation = "asked-every-one" if is_every else of_first
        return Answer(
            prediction=prediction,
            explanation=explanation,
            facts={"first_device": places[0], "last_device": places[-1]},
            placeholders={"count": len(places)},
            fix=self.tried_fix() if "parameters" in run.names and not run.outcome.ok else None,
            data=self.transitions(places),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        known = [self.first] * 2 + [self.second] * 2
        return draw(answer.data if answer else self.transitions(known))

    def transitions(self, places: list[str]) -> DeviceTransitions:
        """Describe the module as a Python object, and each parameter on its device."""
        named = zip(NAMES, places, strict=True)
        return DeviceTransitions(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            transitions=(
                DeviceTransition(names="net", place=device_map.PYTHON),
                *(DeviceTransition(names=name, place=place) for name, place in named),
            ),
        )


def names_both_devices(step: WhereIsAModel, answer: Answer) -> bool:
    """Return whether one line names both devices of a network on two devices."""
    del step
    return answer.prediction == "several"
