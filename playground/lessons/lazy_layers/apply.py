"""Step on ``apply`` before the first batch: a function that checks for ``nn.Linear`` finds none."""

from enum import StrEnum

from playground.lessons.lazy_layers.weight_boxes import Moment, box, draw, lazy_box
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field
from playground.units import short

STD = 0.01


class Check(StrEnum):
    """Ways in which the function selects its layers; the value is the code."""

    TYPE = "type(m) == nn.Linear"
    ISINSTANCE = "isinstance(m, nn.Linear)"


class Apply(Step):
    """Initialize a lazy network with ``apply``; if fixed, after its first batch."""

    check: Check = Check.TYPE
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        applied, batch = f"net.apply(init_normal){w.asked}", "net(torch.rand(2, 20))"
        first, second = (batch, applied) if self.is_fixed else (applied, batch)
        return f"""
            import torch
            from torch import nn

            torch.manual_seed(0){w.folded}
            def init_normal(m):
                if {w.check}:
                    nn.init.normal_(m.weight, mean=0, std={STD})

            net = nn.Sequential(nn.LazyLinear(256), nn.ReLU(), nn.LazyLinear(10))
            {first}
            {second}
            print(net[0].weight.std(), net[2].weight.std())
        """

    def answer(self, run: Run) -> Answer:
        """Compare the final values with those that the function would draw."""
        net = run["net"]
        if not run.outcome.ok:
            waiting = (box("net[0]", net[0]), box("net[2]", net[2]))
            return Answer(
                prediction=run.outcome.error_type,
                explanation="initialized-too-early",
                placeholders={"check": self.check},
                fix=self.tried_fix(),
                data=(Moment(label="now", boxes=waiting),),
            )
        stds = [net[i].weight.std().item() for i in (0, 2)]
        is_initialized = all(each < 2 * STD for each in stds)
        boxes = tuple(
            box(f"net[{i}]", net[i], note=f"std {short(std)}")
            for i, std in zip((0, 2), stds, strict=True)
        )
        return Answer(
            prediction="initialized" if is_initialized else "untouched",
            explanation="initialized-in-time" if is_initialized else "class-is-another",
            placeholders={"check": self.check, "stds": ", ".join(map(short, stds))},
            is_silent_failure=not is_initialized,
            fix=None if is_initialized else self.tried_fix(),
            data=(Moment(label="now", boxes=boxes),),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        if answer is not None:
            return draw(answer.data, labels)
        boxes = tuple(lazy_box(f"net[{i}]", "LazyLinear", out) for i, out in ((0, 256), (2, 10)))
        return draw((Moment(label="made", boxes=boxes),), labels)


def silent_apply(step: Apply, answer: Answer) -> bool:
    """Return whether the function had no effect and raised no error."""
    del step
    return answer.is_silent_failure
