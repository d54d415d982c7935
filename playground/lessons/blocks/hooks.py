"""Step "hooks": forward hooks run when a module is called, not when its forward is."""

from enum import StrEnum

from playground.lessons.blocks.pictures import Stage, flow
from playground.steps import Answer, Labels, Picture, Run, Step, Words

MODULES = ("", "0", "1", "2")


class Call(StrEnum):
    """The line that runs the network; the value is the code that the program shows."""

    FORWARD = "net.forward(X)"
    NET = "net(X)"
    SLICE = "net[:2](X)"


class Width(StrEnum):
    """The number of features of X."""

    FITS = "2, 20"
    DIFFERS = "2, 30"


class Hooks(Step):
    """Register a forward hook on every module, and run the network."""

    call: Call = Call.FORWARD
    width: Width = Width.FITS

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn

            net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))

            def hook(module, inputs, output):
                print(type(module).__name__, tuple(output.shape))

            for module in net.modules():
                module.register_forward_hook(hook)
            X = torch.rand({w.width})
            Y = {w.call}{w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Report which modules' hooks ran, by their output."""
        ran = [line.partition(" ")[0] for line in run.printed.splitlines()]
        outer = "Sequential" in ran
        inner = sum(name != "Sequential" for name in ran)
        prediction = {(True, 3): "all", (False, 3): "layers", (False, 2): "first_two"}.get(
            (outer, inner), run.outcome.error_type
        )
        return Answer(
            prediction=prediction,
            explanation=self.explanation(is_ok=run.outcome.ok),
            facts={"hooks_run": len(ran)},
            is_silent_failure=self.call is Call.FORWARD and run.outcome.ok,
            data=(outer, inner),
        )

    def explanation(self, *, is_ok: bool) -> str:
        if not is_ok:
            return "width-differs"
        return {
            Call.FORWARD: "forward-skips-hooks",
            Call.NET: "call-runs-hooks",
        }.get(self.call, "a-new-sequential")

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        outer, inner = answer.data
        names = ("Linear", "ReLU", "Linear")
        ran, silent = labels["hook_ran"], labels["hook_silent"]
        stages = [
            Stage(
                path=str(place),
                label=name,
                note=ran if place < inner else silent,
                has_parameters=place < inner,
            )
            for place, name in enumerate(names)
        ]
        stages.append(Stage(label="net", note=ran if outer else silent, has_parameters=outer))
        first = f"({self.width.value})"
        return Picture(flow(first, stages), {"ran": inner + outer})
