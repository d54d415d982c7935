"""Step "clip": gradient clipping, which shortens a long gradient and keeps its direction."""

from enum import StrEnum

from playground.lessons.training.drawing import draw_bars
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number


class Method(StrEnum):
    """The function of ``torch.nn.utils`` that clips; the value is its name."""

    NORM = "clip_grad_norm_"
    VALUE = "clip_grad_value_"


class Place(StrEnum):
    """The place where the program clips."""

    AFTER = "after"
    BEFORE = "before"


class Clip(Step):
    """Multiply a loss, so that its gradient grows, and clip the gradient."""

    factor: int = number(1, 1000, default=100)
    method: Method = Method.NORM
    limit: float = number(0.01, 10.0, default=0.5)
    place: Place = Place.AFTER

    def code(self, w: Words) -> str:
        clip = f"nn.utils.{w.method}(model.parameters(), {w.limit})"
        lines = [
            "import torch",
            "from torch import nn",
            "from torch.nn import functional as F",
            "",
            "torch.manual_seed(0)",
            "model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))",
            f"X, y = torch.randn(40, 2), torch.arange(40) % 2{w.folded}",
            f"loss = {w.factor} * F.cross_entropy(model(X), y)",
            *([clip] if self.place is Place.BEFORE else []),
            "loss.backward()",
            *([clip] if self.place is Place.AFTER else []),
            "grads = [p.grad.flatten() for p in model.parameters()]",
            f"print(torch.cat(grads).norm()){w.asked}",
        ]
        return "\n".join(lines)

    def answer(self, run: Run) -> Answer:
        """Compare the clipped gradient with the gradient of the loss."""
        if not run.outcome.ok:
            return Answer(prediction=run.outcome.error_type, explanation="refused")
        torch = run["torch"]
        loss = self.factor * run["F"].cross_entropy(run["model"](run["X"]), run["y"])
        whole = torch.autograd.grad(loss, [*run["model"].parameters()])
        given, got = (
            torch.cat([each.flatten() for each in tensors]) for tensors in (whole, run["grads"])
        )
        before, after = given.norm().item(), got.norm().item()
        is_same = torch.equal(given, got)
        near = abs(after - self.limit) <= 1e-4 * self.limit
        return Answer(
            prediction="unchanged" if is_same else "the_limit" if near else "between",
            explanation=self.explanation(is_same=is_same),
            facts={
                "norm_before": f"{before:.4g}",
                "norm_after": f"{after:.4g}",
                "largest_entry": f"{given.abs().max().item():.3g}",
                "cosine": f"{torch.cosine_similarity(given, got, dim=0).item():.4f}",
            },
            placeholders={"limit": f"{self.limit:g}"},
            data=(before, after),
            is_silent_failure=self.place is Place.BEFORE,
        )

    def explanation(self, *, is_same: bool) -> str:
        if self.place is Place.BEFORE:
            return "no-gradient-yet"
        if self.method is Method.VALUE:
            return "entries-within" if is_same else "each-entry"
        return "within" if is_same else "clipped"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None or answer.data is None:
            return None
        before, after = answer.data
        limit = (f"{labels['limit']}: {self.limit:g}", self.limit)
        return draw_bars(
            ((labels["norm_before"], before), (labels["norm_after"], after)),
            limit if self.method is Method.NORM else None,
        )


def turns_the_gradient(step: Clip, answer: Answer) -> bool:
    """Check that the clipped gradient has another direction."""
    del step
    return float(answer.facts["cosine"]) < 0.999  # type: ignore[arg-type]  # it is a number's text
