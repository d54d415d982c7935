"""Step on the purpose of ties: three models that use one weight several times."""

from enum import StrEnum

from playground.lessons.tied_parameters import ties
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

WORDS, WIDTH = 10_000, 64  # of the language model
PIXELS, CODE = 784, 32  # of the autoencoder
INPUTS, UNITS = 4, 8  # of the recurrent cell
MAX_TIMES = 5  # steps in the picture; of more the first ones and the last
COUNT = "print(sum(p.numel() for p in net.parameters()))"


class Model(StrEnum):
    """The model that the program defines."""

    LANGUAGE_MODEL = "language_model"
    RECURRENT = "recurrent"
    AUTOENCODER = "autoencoder"


class WhyTie(Step):
    """Count the parameters of a model with and without a tie."""

    model: Model = Model.LANGUAGE_MODEL
    is_tied: bool = True
    steps: int = number(2, 100, default=5, only_if={"model": (Model.RECURRENT,)})

    def code(self, w: Words) -> str:
        definition = {
            Model.LANGUAGE_MODEL: self.language_model,
            Model.RECURRENT: self.recurrent,
            Model.AUTOENCODER: self.autoencoder,
        }[self.model](w)
        return f"""\
import torch
import torch.nn.functional as F
from torch import nn
{w.folded}
{definition}

net = Net()
{COUNT}{w.asked}
"""

    def language_model(self, w: Words) -> str:
        """Write a model whose embedding and output layer share a weight."""
        del w
        tie = "\n        self.output.weight = self.embedding.weight" if self.is_tied else ""
        return f"""\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding({WORDS}, {WIDTH})
        self.output = nn.Linear({WIDTH}, {WORDS}, bias=False){tie}

    def forward(self, tokens):
        return self.output(self.embedding(tokens))"""

    def recurrent(self, w: Words) -> str:
        """Write a model with one cell, or with one cell for each time step."""
        cell = f"nn.Linear({INPUTS + UNITS}, {UNITS})"
        cells = f"[{cell}] * {w.steps}" if self.is_tied else f"[{cell} for _ in range({w.steps})]"
        return f"""\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList({cells})

    def forward(self, X, h):
        for x, cell in zip(X, self.cells):
            h = torch.tanh(cell(torch.cat([x, h], dim=1)))
        return h"""

    def autoencoder(self, w: Words) -> str:
        """Write a model whose decoder uses the transposed weight of the encoder."""
        del w
        linear = f"nn.Linear({CODE}, {PIXELS}, bias=False)"
        decoder = "" if self.is_tied else f"\n        self.decoder = {linear}"
        decoded = "F.linear(H, self.encoder.weight.T)" if self.is_tied else "self.decoder(H)"
        return f"""\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear({PIXELS}, {CODE}, bias=False){decoder}

    def forward(self, X):
        H = torch.relu(self.encoder(X))
        return {decoded}"""

    @property
    def once(self) -> int:
        """Elements of the weight, with the biases of the cell."""
        return {
            Model.LANGUAGE_MODEL: WORDS * WIDTH,
            Model.RECURRENT: (INPUTS + UNITS) * UNITS + UNITS,
            Model.AUTOENCODER: PIXELS * CODE,
        }[self.model]

    @property
    def uses(self) -> int:
        return self.steps if self.model is Model.RECURRENT else 2

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the counts for one weight and for one per use, and a wrong count."""
        del devices
        wrong = {
            Model.LANGUAGE_MODEL: WORDS + WIDTH,
            Model.RECURRENT: (INPUTS + UNITS) * UNITS,
            Model.AUTOENCODER: PIXELS + CODE,
        }[self.model]
        return tuple(map(str, (wrong, self.once, self.once * self.uses)))

    def answer(self, run: Run) -> Answer:
        numbers = sum(each.numel() for each in run["net"].parameters())
        kind = self.model.replace("_", "-")
        return Answer(
            prediction=str(numbers),
            explanation=kind if self.is_tied else "untied",
            facts={"numbers": numbers, "untied": self.once * self.uses, "uses": self.uses},
            placeholders={"once": self.once},
            data=self.ties(is_known=True),
        )

    def ties(self, *, is_known: bool) -> ties.Ties:
        """Describe the places where the model uses a weight, and which weight."""
        times = [f"t = {place + 1}" for place in range(self.steps)]
        if len(times) > MAX_TIMES:
            times = [*times[: MAX_TIMES - 2], "…", times[-1]]
        uses = {
            Model.LANGUAGE_MODEL: ("embedding", "output"),
            Model.RECURRENT: tuple(times),
            Model.AUTOENCODER: ("encoder", "decoder"),
        }[self.model]
        if not is_known:
            return ties.Ties(columns=(uses, ("?",)))
        count = 1 if self.is_tied else len(uses)
        links = tuple((place, 0 if self.is_tied else place) for place in range(len(uses)))
        return ties.Ties(columns=(uses, (f"{self.once:,}",) * count), links=(links,))

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        data = answer.data if answer else self.ties(is_known=False)
        return ties.draw(data, (labels["used_in"], labels["weights"]))


def works_for_any_length(step: WhyTie, answer: Answer) -> bool:
    """Return whether a recurrent net of a hundred steps has the parameters of one cell."""
    return (
        step.model is Model.RECURRENT and step.uses == 100 and step.once == int(answer.prediction)
    )
