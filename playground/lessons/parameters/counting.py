"""Step on counting parameters and freezing some by name: which of them an optimizer changes."""

from enum import StrEnum
from typing import Any

from playground.lessons.parameters import tensor_list
from playground.steps import (
    Answer,
    Labels,
    Picture,
    Run,
    Step,
    Words,
    fix_field,
    run_program,
    shown_if,
    text,
)

SHAPES = {"0.weight": (8, 4), "0.bias": (8,), "2.weight": (3, 8), "2.bias": (3,)}
STEP = "optimizer.step()"
FREEZE = """\
for name, parameter in net.named_parameters():
    if fnmatch(name, {pattern}):
        parameter.requires_grad = False"""


class Freezing(StrEnum):
    """The moment when the freezing loop runs."""

    BEFORE_BACKWARD = "before_backward"
    AFTER_BACKWARD = "after_backward"


class Given(StrEnum):
    """The argument of the optimizer; the value is the code that the program shows."""

    ALL = "net.parameters()"
    TRAINABLE = "[p for p in net.parameters() if p.requires_grad]"


class Counting(Step):
    """Freeze the parameters whose names match, and take a step."""

    pattern: str = text(16, default="0.*")
    freezing: Freezing = Freezing.AFTER_BACKWARD
    given: Given = Given.ALL
    has_new_head: bool = shown_if(False, freezing=(Freezing.BEFORE_BACKWARD,))
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        freeze = FREEZE.format(pattern=w.pattern)
        head = ["net[2] = nn.Linear(8, 3)"] if self.replaces_head else []
        backward = "net(torch.ones(2, 4)).sum().backward()"
        lines = [
            "from fnmatch import fnmatch",
            "import torch",
            "from torch import nn",
            "",
            f"torch.manual_seed(0){w.folded}",
            "net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))",
            *([backward, freeze] if self.is_late else [freeze, *head, backward]),
            "print(sum(p.numel() for p in net.parameters() if p.requires_grad))",
            f"params = {Given.TRAINABLE if self.is_fixed else w.given}",
            "optimizer = torch.optim.SGD(params, lr=0.1)",
            f"{STEP}{w.asked}",
        ]
        return "\n".join(lines)

    @property
    def is_late(self) -> bool:
        """The parameters are frozen only after they have gradients."""
        return self.freezing is Freezing.AFTER_BACKWARD

    @property
    def replaces_head(self) -> bool:
        return self.has_new_head and not self.is_late

    def answer(self, run: Run) -> Answer:
        """Compare the parameters with those of the same program without its last line."""
        named = dict(run["net"].named_parameters())
        before = dict(run_program(self.program().replace(STEP, ""))["net"].named_parameters())
        frozen = [name for name, each in named.items() if not each.requires_grad]
        changed = [name for name, each in named.items() if not each.equal(before[name])]
        moved_frozen = [name for name in frozen if name in changed]
        numbers, trainable = count(named.values())
        all_or_some = "all" if len(changed) == len(named) else "some" if changed else "none"
        explanation = self.explanation(run, frozen, moved_frozen)
        return Answer(
            prediction=all_or_some if run.outcome.ok else run.outcome.error_type,
            explanation=explanation,
            facts={
                "numbers": numbers,
                "trainable": trainable,
                "frozen": numbers - trainable,
                "bytes": sum(each.nbytes for each in named.values()),
            },
            placeholders={
                "tensors": len(named),
                "frozen_tensors": len(frozen),
                "changed": len(changed),
                "given": len(self.held_by(run)),
                "moved_frozen": ", ".join(f"`{name}`" for name in moved_frozen) or None,
            },
            fix=self.tried_fix() if moved_frozen else None,
            is_silent_failure=explanation in ("frozen-too-late", "nothing-matches"),
            data=tuple(
                (name, tuple(each.shape), name in frozen, name in changed)
                for name, each in named.items()
            ),
        )

    def held_by(self, run: Run) -> list[Any]:
        """Return the parameters that the optimizer holds."""
        return run["optimizer"].param_groups[0]["params"] if "optimizer" in run.names else []

    def explanation(self, run: Run, frozen: list[str], moved_frozen: list[str]) -> str:
        if not run.outcome.ok:
            is_empty = run.outcome.error_type == "ValueError"
            return "no-parameters-left" if is_empty else "nothing-requires-grad"
        if self.replaces_head:
            return "new-head"
        if moved_frozen:
            return "frozen-too-late"
        if not frozen:
            return "nothing-matches"
        is_given = self.given is Given.ALL and not self.is_fixed
        return "without-gradient" if is_given else "not-given"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        known = answer.data if answer else [(*each, False, False) for each in SHAPES.items()]
        rows = []
        for name, shape, is_frozen, is_changed in known:
            marks = [labels["is_frozen"]] if is_frozen else []
            marks += [labels["is_changed"]] if is_changed else []
            tone = "no" if is_frozen and is_changed else "yes" if is_changed else ""
            row = tensor_list.Row(
                name=name,
                detail=str(shape),
                tone=tone if answer else "",
                mark=", ".join(marks),
                is_dashed=is_frozen and not is_changed,
            )
            rows.append(row)
        return tensor_list.draw(rows)


def count(parameters: Any) -> tuple[int, int]:
    """Count all elements, and the trainable ones."""
    sizes = [(each.numel(), each.requires_grad) for each in parameters]
    return sum(size for size, _ in sizes), sum(size for size, is_trained in sizes if is_trained)


def changes_frozen(step: Counting, answer: Answer) -> bool:
    """Return whether the step changed a frozen parameter."""
    del step
    return answer.explanation == "frozen-too-late"


def trains_last_layer(step: Counting, answer: Answer) -> bool:
    """Return whether only the weight and the bias of the last layer are trainable."""
    del step
    frozen = {name: is_frozen for name, _, is_frozen, _ in answer.data}
    is_last = {name: not name.startswith("2.") for name in frozen}
    return answer.outcome.ok and answer.explanation != "frozen-too-late" and frozen == is_last


def refuses_empty_list(step: Counting, answer: Answer) -> bool:
    """Return whether the optimizer refused an empty list."""
    del step
    return answer.outcome.error_type == "ValueError"


def trains_new_head(step: Counting, answer: Answer) -> bool:
    """Return whether everything is frozen except a new last layer, which the step changed."""
    return step.replaces_head and answer.outcome.ok and trains_last_layer(step, answer)
