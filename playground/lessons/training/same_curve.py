"""Step "same_curve": a repeated training with the same sums, another order, or another seed."""

from enum import StrEnum
from typing import ClassVar

from playground.lessons.training.definitions import definitions
from playground.lessons.training.on_points import OnPoints
from playground.machines import MachineKind
from playground.steps import Answer, Machine, Run, Words, number

TOLERANCE = 1e-3
REVERSE = '''\
def reverse_units(net):
    """Turn the order of all hidden units: the same function, its sums in another order."""
    with torch.no_grad():
        for layer in net[:-1:2]:
            layer.weight.copy_(layer.weight.flip(0))
            layer.bias.copy_(layer.bias.flip(0))
        for layer in net[2::2]:
            layer.weight.copy_(layer.weight.flip(1))
'''


class Second(StrEnum):
    """The difference of the second run; the value is the arguments that the program shows."""

    SAME = "seed=0"
    REVERSED = "seed=0, is_reversed=True"
    OTHER_SEED = "seed=1"


class SameCurve(OnPoints):
    """Train twice, and compare the curves.

    A simulated GPU computes on the CPU, so its curve would be the same bit for bit, unlike that of
    a real GPU. So on a simulated machine both runs stay on the CPU, and the cause of the difference
    on a GPU, another order of summation, is reproduced there.
    """

    timeout_seconds: ClassVar[float] = 100.0
    machine: Machine = Machine()
    second: Second = Second.REVERSED
    epochs: int = number(1, 60, default=20)

    def code(self, w: Words) -> str:
        return f"""{definitions(self.dataset, self.points)}
{REVERSE}{w.folded}
def train(num_gpus, seed, is_reversed=False):
    torch.manual_seed(seed)
    model = Classifier({self.dataset.num_classes}, "SGD", lr=0.3)
    if is_reversed:
        reverse_units(model.net)
    trainer = Trainer({w.epochs}, num_gpus)
    trainer.fit(model, Points({w.dataset}, seed=seed))
    return torch.tensor(trainer.losses, dtype=torch.float64)

first = train(num_gpus=0, seed=0)
second = train(num_gpus={self.num_gpus}, {w.second})
print((first - second).abs().max().item()){w.asked}
"""

    @property
    def num_gpus(self) -> int:
        """The GPUs of the second run: one if it is real."""
        return 0 if self.machine.is_simulated else 1

    def host(self) -> Machine:
        """Use no simulated machine."""
        return Machine(kind=MachineKind.REAL)

    def answer(self, run: Run) -> Answer:
        """Compare the losses of each epoch."""
        first, second = tuple(run["first"].tolist()), tuple(run["second"].tolist())
        difference = max(abs(a - b) for a, b in zip(first, second, strict=True))
        same = "bits" if first == second else "close"
        prediction = same if difference <= TOLERANCE else "different"
        return Answer(
            prediction=prediction,
            explanation=prediction,
            facts={"largest_difference": f"{difference:.2g}"},
        )

    def names(self) -> tuple[str, ...]:
        return ("first", "second")
