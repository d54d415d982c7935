"""Step "same_function": class MLP and a Sequential of the same layers with the same weights."""

from enum import StrEnum

from playground.lessons.blocks.pictures import ACCENT, INK, LINE, MUTED, WIDTH, svg_of, text_at
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

TOP, HEIGHT = 34, 130  # px, of the range of the outputs


class Copying(StrEnum):
    """The line that gives the class the weights of the Sequential, if any."""

    STATE_DICT = "mlp.load_state_dict(net.state_dict())"
    LAYERS = "mlp.hidden, mlp.out = net[0], net[2]"
    NOTHING = "pass"


class SameFunction(Step):
    """Give a Sequential and an MLP the same batch."""

    seed: int = number(0, 99, default=1)
    copying: Copying = Copying.STATE_DICT

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F

            class MLP(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.hidden = nn.Linear(20, 256)
                    self.out = nn.Linear(256, 10)

                def forward(self, X):
                    return self.out(F.relu(self.hidden(X)))
            {w.folded}
            torch.manual_seed(0)
            net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
            torch.manual_seed({w.seed})
            mlp = MLP()
            {w.copying}

            X = torch.rand(2, 20)
            print(torch.equal(mlp(X), net(X))){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Report whether both outputs are equal, and the names of the weights in each."""
        net, mlp = run["net"], run["mlp"]
        names = tuple(zip(net.state_dict(), mlp.state_dict(), strict=True))
        same = (
            run["torch"].equal(net.state_dict()[theirs], mlp.state_dict()[mine])
            for theirs, mine in names
        )
        rows = tuple((*pair, is_same) for pair, is_same in zip(names, same, strict=True))
        pairs: tuple[tuple[float, float], ...] = ()
        if run.outcome.ok:
            X = run["X"][:1]
            pairs = tuple(zip(mlp(X)[0].tolist(), net(X)[0].tolist(), strict=True))
        difference = max((abs(mine - theirs) for mine, theirs in pairs), default=None)
        return Answer(
            prediction=run.printed.strip() or run.outcome.error_type,
            explanation=self.explanation(is_ok=run.outcome.ok),
            facts={"difference": None if difference is None else float(f"{difference:.2g}")},
            placeholders={"their_name": names[0][0], "my_name": names[0][1]},
            table=(("their_name", "my_name", "is_same"), *rows),
            data=pairs,
        )

    def explanation(self, *, is_ok: bool) -> str:
        if not is_ok:
            return "names-differ"
        if self.copying is Copying.LAYERS:
            return "same-layers"
        return "same-draws" if self.seed == 0 else "other-weights"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw ten outputs for one example: dots of the class in rings of the Sequential."""
        if answer is None or not answer.data:
            return None
        values = [value for pair in answer.data for value in pair]
        low, high = float(min(values)), float(max(values))

        def y(value: float) -> float:
            return TOP + HEIGHT * (high - value) / (high - low or 1.0)

        parts = [
            text_at(8, 16, f"● {labels['class']}", ACCENT, "start"),
            text_at(WIDTH - 8, 16, f"○ {labels['sequential']}", INK, "end"),
        ]
        for index, (mine, theirs) in enumerate(answer.data):
            x = WIDTH * (index + 0.5) / len(answer.data)
            parts.append(
                f'<path d="M{x:g} {y(mine):.1f} V{y(theirs):.1f}" style="stroke:{LINE}"'
                f' stroke-width="2"/><circle data-id="class-{index}" cx="{x:g}" cy="{y(mine):.1f}"'
                f' r="5" style="fill:{ACCENT}"/><circle data-id="sequential-{index}" cx="{x:g}"'
                f' cy="{y(theirs):.1f}" r="9" style="fill:none;stroke:{INK}" stroke-width="1.6"/>'
            )
            parts.append(text_at(x, TOP + HEIGHT + 30, str(index), MUTED))
        return Picture(svg_of(parts, TOP + HEIGHT + 40))
