"""The ledger of a move, and what the move does to an optimizer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.explained import Cell, Table, Told
from playground.lessons.models.records.choices import (
    CatalogueModule,
    Moment,
    OptimizerName,
    Remedy,
    Way,
)
from playground.lessons.models.records.explained import Explained, Lane
from playground.machines.machine import DeviceName
from playground.modules.rows import Kind, MovedRow, Reason

OPTIMIZER = "optimizer."
STATE = re.compile(r"optimizer\.state\['(.+?)'\]\['(.+?)'\]")


def shown(path: str) -> str:
    """A path as a table shows it: a state by its parameter and its name.

    >>> shown("optimizer.state['0.weight']['exp_avg']"), shown("layers[0].bias")
    ('0.weight · exp_avg', 'layers[0].bias')
    """
    return STATE.sub(r"\1 · \2", path)


def is_left_behind(row: MovedRow, target: DeviceName) -> bool:
    """Whether something is not where the module went; a step count need not be."""
    return row.device_after != target and row.reason != Reason.STEP_COUNT


def lane_of(row: MovedRow, target: DeviceName) -> Lane:
    """A row of the ledger as the picture shows it."""
    return Lane(
        label=shown(row.path),
        before=row.device_before,
        after=row.device_after,
        is_trouble=is_left_behind(row, target),
    )


def ledger_cells(
    rows: tuple[MovedRow, ...], words: Mapping[str, str]
) -> tuple[tuple[Cell, ...], ...]:
    """The rows of a ledger as a table, in the order of ``LEDGER_COLUMNS``."""
    return tuple(
        (
            " = ".join(path for path in row.paths if not path.startswith(OPTIMIZER))
            or shown(row.path),
            words[f"kind_{row.kind}"],
            row.device_before,
            row.device_after,
            row.is_registered,
            row.in_state_dict,
        )
        for row in rows
    )


LEDGER_COLUMNS = ("path", "kind", "before", "after", "is_registered", "in_state_dict")
REASON_COLUMNS = ("paths", "reason")
MOST_NAMED = 2


def reason_cells(
    rows: tuple[MovedRow, ...], words: Mapping[str, str]
) -> tuple[tuple[Cell, ...], ...]:
    """Each reason once, with the rows that it holds for, in the order of ``REASON_COLUMNS``."""
    reasons: dict[Reason, list[str]] = {}
    for row in rows:
        reasons.setdefault(row.reason, []).append(shown(row.path))
    return tuple((_named(paths), words[f"reason_{reason}"]) for reason, paths in reasons.items())


def _named(paths: list[str]) -> str:
    """The first of some paths, and how many more there are.

    >>> _named(["a", "b", "c", "d", "e"])
    'a, b … +3'
    """
    more = len(paths) - MOST_NAMED
    return ", ".join(paths[:MOST_NAMED]) + (f" … +{more}" if more > 0 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveModelReport(Explained):
    """A module's ledger before and after a move, and whether it works on the device then.

    Attributes:
        rows: Everything that module, loss and optimizer lead to.
        result_device, result_values: Of what was computed after the move.
        fixed_rows, fixed_outcome: The same with the fault mended; empty where there is none.
    """

    module: CatalogueModule
    device: DeviceName
    rows: tuple[MovedRow, ...]
    result_device: DeviceName | None
    result_values: str | None
    fixed_rows: tuple[MovedRow, ...]
    fixed_outcome: Outcome | None
    fixed_values: str | None

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The whole ledger, and the reasons."""
        return (
            (LEDGER_COLUMNS, ledger_cells(self.rows, words)),
            (REASON_COLUMNS, reason_cells(self.rows, words)),
        )

    @property
    def left_behind(self) -> tuple[MovedRow, ...]:
        """What is not where the module went."""
        return tuple(row for row in self.rows if is_left_behind(row, self.device))

    @property
    def is_fixed(self) -> bool:
        """It failed, and the mended one works."""
        has_failed = not self.outcome.ok
        return has_failed and self.fixed_outcome is not None and self.fixed_outcome.ok

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "moved_count": sum(row.has_moved for row in self.rows),
            "left_count": len(self.left_behind),
            "unregistered_count": sum(not row.is_registered for row in self.rows),
            "unsaved_count": sum(not row.in_state_dict for row in self.rows),
            "fixed_left_count": self._fixed_left if self.is_fixed else None,
        }

    @property
    def _fixed_left(self) -> int:
        return sum(is_left_behind(row, self.device) for row in self.fixed_rows)

    @property
    def mentions(self) -> Told:
        """The facts, and names."""
        return {
            **self.told,
            "device": self.device,
            "rows_count": len(self.rows),
            "left_paths": ", ".join(row.path for row in self.left_behind[:3]),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.has(self.device):
            return "no-such-device"
        if self.outcome.ok:
            return "left-without-harm" if self.left_behind else "all-moved"
        if all(row.device_before is None for row in self.left_behind):
            return "made-on-the-fly"
        kinds = {row.kind for row in self.left_behind}
        if kinds == {Kind.LOSS_BUFFER}:
            return "loss-left"
        if kinds == {Kind.OPTIMIZER_STATE}:
            return "state-left"
        return "not-registered"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Every row."""
        return tuple(lane_of(row, self.device) for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveWithOptimizerReport(Explained):
    """A step of an optimizer after its network has moved.

    Attributes:
        is_same_parameter: ``net.weight`` is still the object that it was.
        holds_parameter: The optimizer holds the object that ``net.weight`` is.
        has_trained: The step has changed ``net.weight``; None where it did not come to a step.
        rows: The ledger of network and optimizer, before and after the move.
    """

    optimizer: OptimizerName
    moment: Moment
    way: Way
    remedy: Remedy
    target: DeviceName
    steps: int
    is_same_parameter: bool | None
    holds_parameter: bool | None
    has_trained: bool | None
    rows: tuple[MovedRow, ...]

    @property
    def actual(self) -> Outcome | str:
        """What the step did."""
        if not self.outcome.ok:
            return self.outcome
        return "trains" if self.has_trained else "trains_nothing"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The whole ledger, and the reasons."""
        return (
            (LEDGER_COLUMNS, ledger_cells(self.rows, words)),
            (REASON_COLUMNS, reason_cells(self.rows, words)),
        )

    @property
    def state_rows(self) -> tuple[MovedRow, ...]:
        """What the optimizer keeps, and what only it still knows."""
        return tuple(
            row
            for row in self.rows
            if row.kind == Kind.OPTIMIZER_STATE or row.reason == Reason.ONLY_IN_OPTIMIZER
        )

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "is_same_parameter": self.is_same_parameter,
            "holds_parameter": self.holds_parameter,
            "has_trained": self.has_trained,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the place."""
        return {**self.told, "target": self.target, "state_count": len(self.state_rows)}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.has(self.target):
            return "no-such-device"
        if not self.outcome.ok:
            return "state-from-birth" if self.steps == 0 else "state-left-behind"
        if not self.has_trained:
            return "trains-the-dead"
        if self.moment == Moment.AFTER:
            return "made-after"
        if self.target == "cpu":
            return "nowhere-to-go"
        return self._why_it_survived

    @property
    def _why_it_survived(self) -> str:
        if self.remedy == Remedy.LOAD:
            return "state-brought-along"
        return "same-objects"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Parameters, and all that the optimizer keeps."""
        return tuple(lane_of(row, self.target) for row in self.rows)
