"""Blocks inside blocks: three pieces in a row, and the tree that they make."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings
from playground.explained import Quiet, Table, Told
from playground.lessons.blocks.records.choices import Piece
from playground.lessons.blocks.records.trees import Shape, TreeRow, told_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Piecewise:
    """One of the three pieces.

    Attributes:
        output_shape: None where it failed, or was not reached.
    """

    name: str
    type_name: str
    input_shape: Shape | None
    output_shape: Shape | None
    parameters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NestBlocksReport(Quiet):
    """What three blocks in a row are together.

    Attributes:
        failed_at: The path of the layer that refused.
        total: Numbers that the whole can learn.
        modules: How many modules the tree has, the whole included.
        depth: How many levels lie below the whole.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("module", "type", "input_shape", "output_shape"),
        "parameters",
    )

    output_shape: Shape | None
    pieces: tuple[Piecewise, ...]
    tree: tuple[TreeRow, ...]
    failed_at: str | None
    total: int
    modules: int
    depth: int

    @property
    def actual(self) -> Outcome | str:
        """The shape of what comes out."""
        return self.outcome if self.output_shape is None else str(self.output_shape)

    @property
    def printed(self) -> str:
        """The shape of what comes out."""
        return "" if self.output_shape is None else f"torch.Size({list(self.output_shape)})"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "total": self.total,
            "modules": self.modules,
            "depth": self.depth,
            "failed_at": self.failed_at,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and where it failed."""
        failed = next((each for each in self.pieces if each.output_shape is None), None)
        return {
            **self.told,
            "sum": " + ".join(str(each.parameters) for each in self.pieces),
            "piece": failed.type_name if failed else None,
            "given": str(failed.input_shape) if failed else None,
            "output": str(self.output_shape),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "pieces-do-not-fit"
        return "ends-in-a-number" if self.output_shape == () else "pieces-fit"

    @property
    def pictured(self) -> Told:
        """The tree line by line."""
        return told_tree(self.tree)

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The three pieces."""
        del words
        rows = tuple(
            (
                each.name,
                each.type_name,
                None if each.input_shape is None else str(each.input_shape),
                None if each.output_shape is None else str(each.output_shape),
                each.parameters,
            )
            for each in self.pieces
        )
        return ((self.COLUMNS, rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class NestBlocks(Settings[NestBlocksReport]):
    """Send two examples through three blocks in a row."""

    first: Piece = Piece.NEST_MLP
    second: Piece = Piece.LINEAR
    third: Piece = Piece.FIXED_HIDDEN

    @property
    def chosen(self) -> tuple[Piece, ...]:
        """The three, in order."""
        return (self.first, self.second, self.third)
