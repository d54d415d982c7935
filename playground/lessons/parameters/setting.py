"""Step on setting a value of a parameter by hand, before or after the forward pass."""

import html
from enum import StrEnum
from typing import Any

from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field, run_program

FORWARD = "Y = net(X)"
NO_GRAD = "with torch.no_grad():\n    {weight}"
OUTCOMES = {"leaf-is-guarded": "refused", "version-differs": "late"}  # of the picture


class Way(StrEnum):
    """Ways to set the value; the value is the code, ``{weight}`` is the parameter."""

    ITEM = "{weight}[0, 0] = 42"
    DATA_ITEM = "{weight}.data[0, 0] = 42"
    DATA_ADD = "{weight}.data[:] += 1"
    NO_GRAD = f"{NO_GRAD}[0, 0] = 42"


class Moment(StrEnum):
    """The moment when the value is set."""

    BEFORE_FORWARD = "before_forward"
    AFTER_FORWARD = "after_forward"


class Weight(StrEnum):
    """The value is the code that the program shows."""

    FIRST = "net[0].weight"
    LAST = "net[2].weight"


class Setting(Step):
    """Set a value, and inspect the gradients of the backward pass."""

    way: Way = Way.ITEM
    moment: Moment = Moment.BEFORE_FORWARD
    weight: Weight = Weight.LAST
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        setting = self.line.format(weight=w.weight)
        is_after = self.moment is Moment.AFTER_FORWARD and not self.is_fixed
        lines = [
            "import torch",
            "from torch import nn",
            "",
            f"torch.manual_seed(0){w.folded}",
            "net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))",
            "X = torch.randn(2, 4)",
            *([FORWARD, setting] if is_after else [setting, FORWARD]),
            f"Y.sum().backward(){w.asked}",
            "print(net[0].weight.grad)",
        ]
        return "\n".join(lines)

    @property
    def line(self) -> str:
        """The line that sets the value; if fixed, autograd does not record it."""
        if not self.is_fixed:
            return self.way
        return f"{NO_GRAD} += 1" if self.way is Way.DATA_ADD else Way.NO_GRAD

    def answer(self, run: Run) -> Answer:
        """Compare the gradients with the correct ones for the same forward pass."""
        wrong = self.wrong_gradients(run) if run.outcome.ok else []
        prediction = "wrong" if wrong else "right"
        explanation = self.explanation(run, is_wrong=bool(wrong))
        old, new = self.values(run)
        return Answer(
            prediction=prediction if run.outcome.ok else run.outcome.error_type,
            explanation=explanation,
            facts={
                "value_before": f"{old:.4f}",
                "value_after": f"{new:.4f}",
                "wrong_gradients": ", ".join(wrong) or None,
            },
            placeholders={"weight": self.weight},
            is_silent_failure=bool(wrong),
            fix=self.fix() if wrong or not run.outcome.ok else None,
            data=(old, new, OUTCOMES.get(explanation, prediction)),
        )

    def fix(self) -> tuple[str, str] | None:
        """Return the line and its replacement, which includes the forward pass after it."""
        if self.tried_fix() is None:
            return None
        fixed = self.replaced(is_fixed=True).line
        return (
            self.line.format(weight=self.weight),
            f"{fixed}\n{FORWARD}".format(weight=self.weight),
        )

    def values(self, run: Run) -> tuple[float, float]:
        """Return the value in the corner before and after the line."""
        place = int(self.weight[4])
        old, new = (
            each["net"][place].weight[0, 0].item() for each in (self.without_the_line(), run)
        )
        return old, new

    def without_the_line(self) -> Run:
        """Run the same program without the line that sets the value."""
        return run_program(self.program().replace(self.line.format(weight=self.weight), ""))

    def wrong_gradients(self, run: Run) -> list[str]:
        """List the parameters whose gradient does not belong to the computed output.

        A value that is set after the forward pass does not change its output.
        """
        if self.moment is Moment.BEFORE_FORWARD or self.is_fixed:
            return []
        right: dict[str, Any] = dict(self.without_the_line()["net"].named_parameters())
        return [
            name
            for name, each in run["net"].named_parameters()
            if not run["torch"].allclose(each.grad, right[name].grad)
        ]

    def explanation(self, run: Run, *, is_wrong: bool) -> str:
        if not run.outcome.ok:
            is_leaf = "leaf" in run.outcome.message
            return "leaf-is-guarded" if is_leaf else "version-differs"
        if is_wrong:
            return "silently-wrong"
        if self.is_fixed:
            return "set-without-grad"
        if self.moment is Moment.AFTER_FORWARD:
            return "late-and-noticed" if self.way is Way.NO_GRAD else "not-needed-again"
        return "set-without-grad" if self.way is Way.NO_GRAD else "set-by-data"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        is_after = self.moment is Moment.AFTER_FORWARD and not self.is_fixed
        order = ["forward", "line", "backward"] if is_after else ["line", "forward", "backward"]
        old, new, result = answer.data if answer else (None, None, "")
        seen = {"line": f"{old:.3g} → {new:.3g}" if answer else "?"}
        seen["forward"] = f"{old if is_after else new:.3g}" if answer else "?"
        seen["backward"] = f"{new:.3g}" if answer else "?"
        if result == "refused":
            seen = {"line": "✗"}
        parts = [_caption(f"{self.weight}[0, 0]")]
        for index, name in enumerate(order):
            is_trouble = (result == "wrong" and name == "backward") or seen.get(name) == "✗"
            is_late = answer is not None and result == "late"
            is_trouble |= is_late and name == "backward"
            ink = "var(--tp-trouble)" if is_trouble else "var(--tp-accent)"
            parts.append(_station(index, labels[f"at_{name}"], seen.get(name, ""), ink))
        svg = f'<svg viewBox="0 0 440 140">{"".join(parts)}</svg>'
        stations = "; ".join(f"{labels[f'at_{name}']}: {seen.get(name, '—')}" for name in order)
        return Picture(svg, {"stations": stations})


def _caption(text: str) -> str:
    return (
        '<text x="4" y="18" font-size="14" font-family="var(--st-code-font, monospace)"'
        f' style="fill:var(--tp-ink)">{html.escape(text)}</text>'
    )


def _station(place: int, label: str, seen: str, ink: str) -> str:
    x = 2 + 150 * place
    arrow = (
        f'<path d="M{x - 20} 82 h16 m-6 -5 l6 5 l-6 5" fill="none" stroke-width="1.8"'
        ' style="stroke:var(--tp-muted)"/>'
        if place
        else ""
    )
    return (
        f'{arrow}<g data-id="station-{html.escape(label)}" transform="translate({x} 32)">'
        f'<rect width="126" height="100" rx="10" style="fill:color-mix(in srgb,{ink} 9%,'
        f'transparent);stroke:{ink}" stroke-width="1.8"/><text x="63" y="26" font-size="13"'
        f' text-anchor="middle" style="fill:var(--tp-muted)">{html.escape(label)}</text>'
        f'<text x="63" y="65" font-size="{13 if len(seen) > 12 else 16}" text-anchor="middle"'
        f' font-weight="650" style="fill:var(--tp-ink)">{html.escape(seen)}</text></g>'
    )


def is_silently_wrong(step: Setting, answer: Answer) -> bool:
    """Return whether the gradients are wrong without an error."""
    del step
    return answer.prediction == "wrong"


def sets_without_hiding(step: Setting, answer: Answer) -> bool:
    """Return whether the value was set with correct gradients and without ``.data``."""
    return answer.prediction == "right" and (step.is_fixed or step.way is Way.NO_GRAD)
