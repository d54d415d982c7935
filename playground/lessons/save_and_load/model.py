"""Step "model": parameters saved, and loaded into a model that is built again in code."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from playground.lessons.save_and_load import drawing, networks
from playground.modules.network_step import load_line, trained_files, write_trained
from playground.modules.spec.link import trained_steps
from playground.steps import (
    Answer,
    Files,
    Labels,
    Picture,
    Run,
    Step,
    Words,
    fix_field,
    network_link,
    seed,
    shown_if,
)
from playground.units import format_bytes, short

FILE = "mlp.params"
MAX_ROWS, MAX_COLUMNS, MAX_NAMED = 2, 10, 4
DROPOUT_TYPES = ("Dropout", "AlphaDropout", "FeatureAlphaDropout", "RReLU")
TRAINING_TYPES = (*DROPOUT_TYPES, "BatchNorm")  # these types, and those that begin so
CLASS = """\
import torch
from torch import nn
from torch.nn import functional as F

class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 256)
{more}        self.output = nn.Linear(256, 10)

    def forward(self, x):
        {forward}
"""
PLAIN = "F.relu(self.hidden(x))"
INPUTS = "X = torch.randn(2, 20)"


class Architecture(StrEnum):
    """The part of class ``MLP`` besides its two linear layers."""

    MLP = "mlp"
    DROPOUT = "dropout"
    BATCH_NORM = "batch_norm"
    CONSTANT = "constant"


MORE = {  # further lines of __init__, and the input of the output layer
    Architecture.MLP: ("", PLAIN),
    Architecture.DROPOUT: (
        "        self.dropout = nn.Dropout(0.5)\n",
        f"self.dropout({PLAIN})",
    ),
    Architecture.BATCH_NORM: (
        "        self.norm = nn.BatchNorm1d(256)\n",
        "F.relu(self.norm(self.hidden(x)))",
    ),
    Architecture.CONSTANT: ("        self.scale = torch.rand(256)\n", f"{PLAIN} * self.scale"),
}
BUFFER = '        self.register_buffer("scale", torch.rand(256))\n'


class Load(StrEnum):
    """The line that loads the parameters; the value is the code that the program shows."""

    LOADED = f'clone.load_state_dict(torch.load("{FILE}"))'
    NOTHING = f'# clone.load_state_dict(torch.load("{FILE}"))'


class Mode(StrEnum):
    """The line that sets the mode; the value is the code that the program shows."""

    EVAL = "clone.eval()"
    TRAIN = "# clone.eval()"


class Outputs(NamedTuple):
    """Data of the picture: the first values of both outputs, and how many are equal."""

    saved: tuple[tuple[str, ...], ...]
    cloned: tuple[tuple[str, ...], ...]
    equal: tuple[tuple[bool, ...], ...]
    is_whole: bool


class Model(Step):
    """Save a model, build it again, load the parameters, and compare the outputs."""

    architecture: Architecture = shown_if(Architecture.DROPOUT, network=("",))
    network: str = network_link()
    load: Load = Load.LOADED
    mode: Mode = Mode.TRAIN
    seed: int = seed()
    is_fixed: bool = fix_field()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network:
            networks.read(self.network)

    def check_runnable(self) -> None:
        """Reject a visitor's network that cannot be built."""
        if self.network:
            networks.check_buildable(networks.read(self.network))

    def files(self) -> Files:
        return Files(downloads=(FILE, *trained_files(self.network)))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Enter the folder of the program, in which the trained weights are a file."""
        with super().running():
            write_trained(self.network)
            yield

    def code(self, w: Words) -> str:
        """Build the tutorial's lines; the definition of the network is folded."""
        definition, inputs, names, made = self.definition()
        return "\n".join(
            [
                f"{definition}{w.folded}",
                f"torch.manual_seed({w.seed})",
                f"net = {made}.eval()",
                *([load_line()] if trained_steps(self.network) else []),
                inputs,
                f"Y = net({names})",
                f'torch.save(net.state_dict(), "{FILE}")',
                "",
                f"clone = {made}",
                Load.LOADED.value if self.is_fixed else w.load,
                Mode.EVAL.value if self.is_fixed else w.mode,
                f"Y_clone = clone({names})",
                f"print(Y_clone == Y){w.asked}",
            ]
        )

    def definition(self) -> tuple[str, str, str, str]:
        """Return the definition of the network, its inputs and their names, and its constructor."""
        if self.network:
            return *networks.as_function(networks.read(self.network)), "make()"
        more, hidden = MORE[self.architecture]
        if self.is_fixed and self.architecture is Architecture.CONSTANT:
            more = BUFFER
        forward = f"return self.output({hidden})"
        return CLASS.format(more=more, forward=forward), INPUTS, "X", "MLP()"

    def answer(self, run: Run) -> Answer:
        """Compare the outputs and both state_dicts."""
        torch, Y, Y_clone = run["torch"], run.get("Y"), run.get("Y_clone")
        if not run.outcome.ok or not isinstance(Y, torch.Tensor):
            prediction = run.outcome.error_type if not run.outcome.ok else "other"
            return Answer(prediction=prediction, explanation="no-outputs")
        equal = Y_clone == Y
        count, total = int(equal.sum()), equal.numel()
        prediction = "all" if count == total else "some" if count else "none"
        state, other = run["net"].state_dict(), run["clone"].state_dict()
        left_out = networks.unsaved(run["net"], run)
        layers = training_layers(run["net"])
        difference = (Y_clone - Y).detach().abs().max().item() if total else 0.0
        is_equal = prediction == "all"
        return Answer(
            prediction=prediction,
            explanation=self.explanation(is_equal=is_equal, layers=layers, left_out=left_out),
            facts={
                "equal_outputs": f"{count} / {total}",
                "difference": short(difference),
                "equal_parameters": all(map(torch.equal, state.values(), other.values())),
                "file_bytes": format_bytes(Path(FILE).stat().st_size),
            },
            placeholders={
                "keys": len(state),
                "numbers": total,
                "layers": ", ".join(layers) or "—",
                "unsaved": ", ".join(left_out[:MAX_NAMED]) or "—",
            },
            fix=None if is_equal else self.tried_fix(),
            is_silent_failure=not is_equal,
            data=Outputs(
                texts(grid(Y)),
                texts(grid(Y_clone)),
                tuple(
                    tuple(map(float.__eq__, *pair))
                    for pair in zip(grid(Y), grid(Y_clone), strict=True)
                ),
                total <= MAX_ROWS * MAX_COLUMNS and Y.dim() == MAX_ROWS,
            ),
        )

    def explanation(self, *, is_equal: bool, layers: Sequence[str], left_out: Sequence[str]) -> str:
        is_loaded = self.is_fixed or self.load is Load.LOADED
        evaluates = self.is_fixed or self.mode is Mode.EVAL
        if is_equal:
            return "all-equal" if evaluates else "eval-had-nothing-to-do"
        if not is_loaded:
            return "own-numbers"
        if layers and not evaluates:
            return "still-training"
        return "not-in-the-file" if left_out else "never-the-same"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        return draw(answer.data, labels) if answer and answer.data else None


def training_layers(net: Any) -> tuple[str, ...]:
    """Return the types of layers that behave differently in training mode."""
    found = dict.fromkeys(type(each).__name__ for each in net.modules())
    return tuple(name for name in found if name.startswith(TRAINING_TYPES))[:MAX_NAMED]


def grid(output: Any) -> tuple[tuple[float, ...], ...]:
    """Return the first rows and columns of an output."""
    rows = output.detach().abs() if output.is_complex() else output.detach()
    rows = rows.double().reshape(1, -1) if output.dim() < 2 else rows.double().flatten(1)
    return tuple(map(tuple, rows[:MAX_ROWS, :MAX_COLUMNS].tolist()))


def texts(rows: Iterable[Iterable[float]]) -> tuple[tuple[str, ...], ...]:
    """Format the values for the picture.

    >>> texts([[0.123, -12345.0]])
    (('0.12', '-1e+04'),)
    """
    return tuple(
        tuple(f"{each:.2f}" if abs(each) < 100 else f"{each:.0e}" for each in row) for row in rows
    )


def draw(outputs: Outputs, labels: Labels) -> Picture:
    """Draw a cell for each value; those of ``Y_clone`` that differ are highlighted."""
    parts, y = [], 0.0
    for name, rows in (("Y", outputs.saved), ("Y_clone", outputs.cloned)):
        parts.append(drawing.text(2, y + 16, name, is_code=True))
        parts.append(
            drawing.text(drawing.WIDTH - 2, y + 16, labels[name], anchor="end", ink=drawing.MUTED)
        )
        for row, numbers in enumerate(rows):
            for column, shown in enumerate(numbers):
                is_same = outputs.equal[row][column]
                colour = drawing.SUCCESS if is_same else drawing.TROUBLE
                colour = drawing.MUTED if name == "Y" else colour
                left, top = 2 + 43.6 * column, y + 24 + 30 * row
                parts.append(drawing.box(left, top, 42, 26, colour=colour, tint=18))
                parts.append(drawing.text(left + 21, top + 17, shown, anchor="middle", size=12))
        y += 40 + 30 * len(rows)
    if not outputs.is_whole:
        parts.append(drawing.text(2, y + 6, "…"))
        y += 14
    return drawing.picture(y, *parts)


def is_loaded_and_different(step: Model, answer: Answer) -> bool:
    """Check that saving and loading were correct and the outputs differ."""
    is_done = step.load is Load.LOADED and step.mode is Mode.EVAL and not step.is_fixed
    return is_done and answer.outcome.ok and answer.prediction != "all"


def is_repaired(step: Model, answer: Answer) -> bool:
    """Check that the constant is in the file and every output is equal."""
    return (
        step.architecture is Architecture.CONSTANT
        and step.is_fixed
        and (answer.prediction == "all")
    )
