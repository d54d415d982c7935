"""A model's state_dict to a file and into a clone; both outputs, number by number."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from playground.checkpoints.save import check_buildable
from playground.compute.outcome import attempt
from playground.lessons.save_and_load.experiment.scratch import file_bytes, scratch_folder
from playground.lessons.save_and_load.records import RestoreModel, RestoreModelReport
from playground.lessons.save_and_load.records.numbers import Grid
from playground.modules.build import build, draw_inputs

FILE = "net.params"
MOST_ROWS, MOST_COLUMNS = 2, 5
MOST_NAMED = 4
Hasty: tuple[type[nn.Module], ...] = (
    nn.modules.dropout._DropoutNd,
    nn.modules.batchnorm._BatchNorm,
    nn.RReLU,
)


@dataclass
class _Run:
    """What came of the program, as far as it came."""

    net: nn.Module
    matched: str = ""
    keys: int = 0
    file_bytes: int = 0
    equal_parameters: bool = False
    output: Tensor = field(default_factory=lambda: torch.empty(0))
    cloned_output: Tensor = field(default_factory=lambda: torch.empty(0))


def restore_model(settings: RestoreModel) -> RestoreModelReport:
    """Save, build anew, load, and compare what both answer to the same batch.

    Raises:
        CheckpointTooLargeError: The network's parameters would fill too large a file.
    """
    network = settings.spec
    check_buildable(network)
    run = _Run(build(network, settings.seed))
    inputs = draw_inputs(network.input)
    with scratch_folder():
        _, outcome = attempt(lambda: _restore(run, settings, inputs))
    equal = run.cloned_output == run.output if outcome.ok else torch.empty(0)
    return RestoreModelReport(
        outcome=outcome,
        loads=settings.loads,
        evaluates=settings.evaluates,
        matched=run.matched,
        keys=run.keys,
        file_bytes=run.file_bytes,
        equal_parameters=run.equal_parameters,
        output=_grid(run.output) if outcome.ok else (),
        cloned_output=_grid(run.cloned_output) if outcome.ok else (),
        equal_numbers=int(equal.sum()),
        numbers=equal.numel(),
        difference=_difference(run) if outcome.ok else 0.0,
        training_layers=_training_layers(run.net),
        unsaved=_unsaved(run.net),
    )


def _restore(run: _Run, settings: RestoreModel, inputs: tuple[Tensor, ...]) -> None:
    net = run.net
    net.eval()
    output = net(*inputs)
    torch.save(net.state_dict(), FILE)
    run.keys, run.file_bytes = len(net.state_dict()), file_bytes(FILE)
    clone = build(settings.spec, settings.seed + 1)
    if settings.loads:
        run.matched = str(clone.load_state_dict(torch.load(FILE)))
    if settings.evaluates:
        clone.eval()
    cloned_output = clone(*inputs)
    _ = bool((cloned_output == output).all())  # for one tensor each
    run.output, run.cloned_output = output.detach(), cloned_output.detach()
    states = net.state_dict(), clone.state_dict()
    run.equal_parameters = all(map(torch.equal, *(state.values() for state in states)))


def _grid(output: Tensor) -> Grid:
    rows = output.double() if output.is_floating_point() else output.abs().double()
    rows = rows.reshape(1, -1) if output.dim() < 2 else rows.flatten(1)
    return tuple(map(tuple, rows[:MOST_ROWS, :MOST_COLUMNS].tolist()))


def _difference(run: _Run) -> float:
    if not run.output.numel():
        return 0.0
    return float((run.cloned_output - run.output).abs().max())


def _training_layers(net: nn.Module) -> tuple[str, ...]:
    found = [type(each).__name__ for each in net.modules() if isinstance(each, Hasty)]
    return tuple(dict.fromkeys(found))[:MOST_NAMED]


def _unsaved(net: nn.Module) -> tuple[str, ...]:
    """Tensors that decide about the output, and that no file has."""
    state = net.state_dict()
    found = [name for name, _ in net.named_buffers() if name not in state]
    for path, module in net.named_modules():
        values: dict[str, Any] = vars(module)
        found += [
            f"{path}.{name}".lstrip(".")
            for name, value in values.items()
            if isinstance(value, Tensor)
        ]
    return tuple(found)[:MOST_NAMED]
