"""Step on moving a loss: necessary only if the module holds tensors."""

from dataclasses import replace
from enum import StrEnum

from playground.lessons.models.device_transitions import DeviceTransition, DeviceTransitions, draw
from playground.lessons.models.input_and_model import NAMED_ARGUMENT
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
)


class Criterion(StrEnum):
    """The value is the code that the program shows."""

    WEIGHTED = "nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0]))"
    PLAIN = "nn.CrossEntropyLoss()"


class Move(StrEnum):
    """The line that moves the loss, or does nothing."""

    NOTHING = "# criterion.cuda()"
    CUDA = "criterion.cuda()"
    TO = "criterion.to(X.device)"


class Loss(Step):
    """Compute a loss from a batch, a network, labels and class weights on chosen devices."""

    machine: Machine = Machine()
    model: Device = "cuda:0"
    batch: Device = "cuda:0"
    labels: Device = "cuda:0"
    criterion: Criterion = Criterion.WEIGHTED
    move: Move = Move.NOTHING
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        model, batch, labels = w.model, w.batch, w.labels
        if self.is_fixed:
            model = batch = labels = literal(self.majority)
        is_moved = self.is_fixed and self.criterion is Criterion.WEIGHTED
        return f"""
            import torch
            from torch import nn
            {w.folded}
            net = nn.Linear(4, 3).to({model})
            X = torch.ones(2, 4, device={batch})
            y = torch.tensor([0, 2], device={labels})
            criterion = {w.criterion}
            {Move.TO if is_moved else w.move}
            loss = criterion(net(X), y){w.asked}
            print(loss.device, criterion._buffers)
        """

    @property
    def majority(self) -> str:
        """Device of the batch and the labels if it is the same, else that of the network."""
        return self.batch if self.batch == self.labels else self.model

    def answer(self, run: Run) -> Answer:
        criterion, named = run.get("criterion"), NAMED_ARGUMENT.search(run.outcome.message)
        name = named[1] if named else None
        buffers = {} if criterion is None else dict(criterion.named_buffers())
        weight = str(buffers["weight"].device) if buffers else None
        net = self.majority if self.is_fixed else self.model
        places = {"net": net, "X": run.device_of("X"), "y": run.device_of("y")}
        return Answer(
            prediction="nothing" if run.outcome.ok else name or run.outcome.error_type,
            explanation=self.explanation(run, weight),
            facts={
                "loss_device": run.device_of("loss"),
                "buffer_count": None if criterion is None else len(buffers),
            },
            placeholders={
                "model": net,
                "batch": self.batch,
                "labels": self.labels,
                "weight": weight,
            },
            fix=self.tried_fix() if criterion is not None and not run.outcome.ok else None,
            data=self.transitions(places, weight, run.device_of("loss")),
        )

    def explanation(self, run: Run, weight: str | None) -> str:
        if run.outcome.ok:
            return "all-together" if weight else "holds-nothing"
        if "same device" not in run.outcome.message:
            return "no-such-device"
        if self.batch != self.model:
            return "network-elsewhere" if self.batch == self.labels else "batch-elsewhere"
        if self.labels != self.model:
            return "labels-first" if weight not in (None, self.model) else "labels-elsewhere"
        return "weight-left" if self.move is Move.NOTHING else "weight-on-another"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show all four; before the answer, the class weights where they are created."""
        del labels
        if answer is not None:
            return draw(answer.data)
        known = self.transitions(
            {"net": self.model, "X": self.batch, "y": self.labels}, "cpu", None
        )
        plain = (replace(each, is_trouble=False) for each in known.transitions)
        return draw(replace(known, transitions=tuple(plain)))

    def transitions(
        self, places: dict[str, str | None], weight: str | None, loss: str | None
    ) -> DeviceTransitions:
        """Describe the machine with all inputs of the loss."""
        held = DeviceTransition(names="criterion", place=device_map.PYTHON)
        if self.criterion is Criterion.WEIGHTED and weight:
            came = "cpu" if weight != "cpu" else ""
            is_left = weight != places["net"]
            held = DeviceTransition(
                names="criterion.weight", before=came, place=weight, is_trouble=is_left
            )
        return DeviceTransitions(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            transitions=(
                *(
                    DeviceTransition(names=name, place=place, is_trouble=place != places["net"])
                    for name, place in places.items()
                    if place
                ),
                held,
                *([DeviceTransition(names="loss", place=loss)] if loss else []),
            ),
        )


def names_target(step: Loss, answer: Answer) -> bool:
    """Return whether PyTorch's message names the labels."""
    del step
    return answer.prediction == "target"


def works_with_weights(step: Loss, answer: Answer) -> bool:
    """Return whether a loss with class weights works on the second GPU."""
    is_weighted = step.criterion is Criterion.WEIGHTED
    return is_weighted and answer.facts["loss_device"] == "cuda:1"
