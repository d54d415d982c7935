"""Step on an optimizer that gets a tied weight once or twice."""

from enum import StrEnum

from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field, seed


class Given(StrEnum):
    """The argument of the optimizer; the value is the code that the program shows."""

    PARAMETERS = "net.parameters()"
    LAYER_BY_LAYER = "[*net[0].parameters(), *net[2].parameters()]"
    EVERY_NAME = "[p for _, p in net.named_parameters(remove_duplicate=False)]"
    TWO_GROUPS = '[{"params": layer.parameters()} for layer in (net[0], net[2])]'


class Optimizer(Step):
    """Take one step of SGD, and measure how far the tied weight moves."""

    given: Given = Given.LAYER_BY_LAYER
    seed: int = seed()
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        params = Given.PARAMETERS if self.is_fixed else w.given
        return f"""
            import torch
            from torch import nn

            torch.manual_seed({w.seed}){w.folded}
            shared = nn.Linear(4, 4)
            net = nn.Sequential(shared, nn.Tanh(), shared)
            net(torch.randn(8, 4)).sum().backward()

            params = {params}
            optimizer = torch.optim.SGD(params, lr=0.1)
            before = shared.weight.detach().clone()
            optimizer.step()
            moved = before - shared.weight
            print((moved.norm() / (0.1 * shared.weight.grad.norm())).item()){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Express the distance that the weight moved in single steps."""
        if not run.outcome.ok:
            return Answer(
                prediction=run.outcome.error_type,
                explanation="two-groups",
                fix=self.tried_fix(),
                data=0,
            )
        times = round(float(run.printed))
        return Answer(
            prediction=str(times),
            explanation="listed-once" if times == 1 else "listed-twice",
            facts={
                "entries": len(run["optimizer"].param_groups[0]["params"]),
                "moved": f"{run['moved'].norm().item():.4f}",
                "single": f"{0.1 * run['shared'].weight.grad.norm().item():.4f}",
            },
            is_silent_failure=times != 1,
            fix=self.tried_fix() if times != 1 else None,
            data=times,
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        times = answer.data if answer else 0
        ink = "var(--tp-success)" if times == 1 else "var(--tp-trouble)"
        refused = answer is not None and not answer.outcome.ok
        parts = [
            f'<path d="M{20 + 190 * mark} 36 V104" style="stroke:var(--tp-line)"/>'
            f'<text x="{20 + 190 * mark}" y="124" font-size="13" text-anchor="middle"'
            f' style="fill:var(--tp-muted)">{mark}</text>'
            for mark in range(3)
        ]
        parts.append(
            f'<text x="20" y="22" font-size="13" style="fill:var(--tp-ink)">{labels["scale"]}'
            "</text>"
            f'<rect data-id="bar" x="20" y="50" width="{190 * times}" height="40" rx="6"'
            f' style="fill:color-mix(in srgb,{ink} 30%,transparent);stroke:{ink}"/>'
        )
        if not times:
            sign = "✗" if refused else "?"
            parts.append(
                '<text x="40" y="78" font-size="22" font-weight="700"'
                f' style="fill:var(--tp-ink)">{sign}</text>'
            )
        svg = f'<svg viewBox="0 0 440 132">{"".join(parts)}</svg>'
        return Picture(svg, {"times": times})


def refuses_repetition(step: Optimizer, answer: Answer) -> bool:
    """Return whether PyTorch refused the repeated parameter."""
    del step
    return answer.outcome.error_type == "ValueError"


def steps_once(step: Optimizer, answer: Answer) -> bool:
    """Return whether the weight took a single step."""
    del step
    return answer.prediction == "1"
