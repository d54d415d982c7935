"""Step on a layer without parameters that subtracts the mean."""

from enum import StrEnum

from playground.lessons.custom_layers.pictures import ACCENT, MUTED, dots
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field


class Values(StrEnum):
    """The input; the value is the code that the program shows."""

    ROWS = "[[1.0, 2.0, 3.0], [11.0, 12.0, 13.0]]"
    RANGE = "[1.0, 2.0, 3.0, 4.0, 5.0]"
    INTEGERS = "[1, 2, 3, 4, 5]"


class Mean(StrEnum):
    """The mean that is subtracted."""

    ALL = "X.mean()"
    ROW = "X.mean(dim=-1, keepdim=True)"


class CenteredLayer(Step):
    """Send values through a layer that subtracts the mean."""

    values: Values = Values.ROWS
    mean: Mean = Mean.ALL
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        made = f"torch.tensor({w.values}).float()" if self.is_fixed else f"torch.tensor({w.values})"
        return f"""
            import torch
            from torch import nn

            class CenteredLayer(nn.Module):
                def forward(self, X):
                    return X - {w.mean}

            layer = CenteredLayer()
            X = {made}
            Y = layer(X)
            print(Y){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        Y = run.get("Y")
        rows = [] if Y is None else Y.reshape(-1, Y.shape[-1]).mean(dim=-1).tolist()
        return Answer(
            prediction=f"{rows[0]:g}" if rows else run.outcome.error_type,
            explanation=self.explanation(),
            facts={
                "row_means": ", ".join(f"{each:g}" for each in rows) or None,
                "parameters": len(list(run["layer"].parameters())),
            },
            placeholders={"mean": None if Y is None else f"{run['X'].mean().item():g}"},
            fix=None if Y is not None else self.tried_fix(),
            data=(run["X"].tolist(), None if Y is None else Y.tolist()),
        )

    def explanation(self) -> str:
        if self.values is Values.INTEGERS:
            return "made-floating" if self.is_fixed else "integers-have-no-mean"
        if self.values is Values.RANGE:
            return "one-row"
        return "whole-is-centred" if self.mean is Mean.ALL else "rows-are-centred"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        shown = []
        for name, values in zip(("before", "after"), answer.data, strict=True):
            rows = values if values and isinstance(values[0], list) else [values]
            colour = MUTED if name == "before" else ACCENT
            shown += [(labels[name], row, colour) for row in rows if row]
        text = "; ".join(f"{name}: {', '.join(f'{v:g}' for v in row)}" for name, row, _ in shown)
        return Picture(dots(shown), {"values": text})


def centres_rows(step: CenteredLayer, answer: Answer) -> bool:
    """Return whether both rows have the mean 0."""
    return step.values is Values.ROWS and answer.facts["row_means"] == "0, 0"
