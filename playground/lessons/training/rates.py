"""Step "rates": one training at four learning rates."""

import math

from playground.lessons.training.definitions import Optimizer, definitions
from playground.lessons.training.on_points import OnPoints
from playground.steps import Answer, Run, Words, number

RATES = (0.01, 0.1, 1, 10)


class Rates(OnPoints):
    """Train with one optimizer at four learning rates, from the same parameters."""

    optimizer: Optimizer = Optimizer.SGD
    epochs: int = number(1, 60, default=20)

    def code(self, w: Words) -> str:
        classes = self.dataset.num_classes
        return f"""{definitions(self.dataset, self.points)}{w.folded}
losses = {{}}
for lr in (0.01, 0.1, 1, 10):
    torch.manual_seed(0)
    model = Classifier({classes}, {w.optimizer}, lr)
    trainer = Trainer(max_epochs={w.epochs})
    trainer.fit(model, Points({w.dataset}, seed=0))
    losses[lr] = trainer.losses

best = min(losses, key=lambda lr: losses[lr][-1])
print(best, losses[best][-1]){w.asked}
"""

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        del devices
        return self.names()

    def names(self) -> tuple[str, ...]:
        return tuple(f"{rate:g}" for rate in RATES)

    def answer(self, run: Run) -> Answer:
        """Compare the losses of the last epoch, and the largest rate's with the untrained model."""
        last = {rate: each[-1] for rate, each in run["losses"].items()}
        best, largest, untrained = run["best"], RATES[-1], self.untrained_loss(run)
        lowest = tuple(f"{rate:g}" for rate in RATES if last[rate] == last[best]) or (f"{best:g}",)
        is_too_long = not math.isfinite(last[largest]) or last[largest] > untrained
        return Answer(
            prediction=f"{best:g}",
            ties=lowest if len(lowest) > 1 else (),
            explanation="too-long" if is_too_long else "any",
            placeholders={
                "best": ", ".join(lowest),
                "lowest": f"{last[best]:.3g}",
                "largest": f"{largest:g}",
                "end": f"{last[largest]:.3g}",
                "untrained": f"{untrained:.3g}",
                "smallest": f"{RATES[0]:g}",
                "slow": f"{last[RATES[0]]:.3g}",
            },
        )

    def untrained_loss(self, run: Run) -> float:
        """Return the loss of the model, before its first step, on all training points."""
        classes, name = self.dataset.num_classes, self.optimizer.value.strip('"')
        run["torch"].manual_seed(0)
        model = run["Classifier"](classes, name, RATES[0])
        X, y = run["Points"](run[self.dataset.function], classes, seed=0).train
        loss: float = model.loss(model(X), y).item()
        return loss


def smallest_is_best(step: Rates, answer: Answer) -> bool:
    """Check that the smallest learning rate ends with the lowest loss."""
    del step
    return answer.prediction == f"{RATES[0]:g}"
