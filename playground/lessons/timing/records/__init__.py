"""What each step of the lesson measures: settings, which refuse bad values; knows no torch.

Time and memory are bounded here: every settings class says how much of both it may take.
"""

from dataclasses import dataclass
from typing import ClassVar, Self

from playground.compute.settings import Bounds, check_bounds, check_within
from playground.compute.streaming import StreamSettings
from playground.errors import InvalidSettingError
from playground.lessons.timing.records.choices import (
    Clock,
    DataType,
    LargestSize,
    Logging,
    Pieces,
    SkipReason,
    Way,
)
from playground.lessons.timing.records.clocks import (
    ClockProgress,
    ClockReading,
    CompareClocksReport,
)
from playground.lessons.timing.records.copies import (
    CopyPoint,
    CopyProgress,
    MeasureBandwidthReport,
    SplitCopyReport,
    SplitPoint,
    SplitProgress,
)
from playground.lessons.timing.records.crossing import Crossover
from playground.lessons.timing.records.losses import (
    LoggingPoint,
    LoggingProgress,
    LogLossesReport,
)
from playground.lessons.timing.records.matmul import MatmulProgress, MatmulSweepReport
from playground.lessons.timing.records.measured import (
    MeasuredReport,
    MeasuringProgress,
    OnServer,
    Timed,
    Told,
    format_seconds,
)
from playground.lessons.timing.records.products import MatmulPoint, Skipped, curve
from playground.machines.machine import Machine
from playground.units import KIBIBYTE, MEBIBYTE

__all__ = [
    "Clock",
    "ClockProgress",
    "ClockReading",
    "CompareClocks",
    "CompareClocksReport",
    "CopyPoint",
    "CopyProgress",
    "Crossover",
    "DataType",
    "LargestSize",
    "LogLosses",
    "LogLossesReport",
    "Logging",
    "LoggingPoint",
    "LoggingProgress",
    "MatmulPoint",
    "MatmulProgress",
    "MatmulSweep",
    "MatmulSweepReport",
    "MeasureBandwidth",
    "MeasureBandwidthReport",
    "MeasuredReport",
    "MeasuringProgress",
    "OnServer",
    "Pieces",
    "SkipReason",
    "Skipped",
    "SplitCopy",
    "SplitCopyReport",
    "SplitPoint",
    "SplitProgress",
    "Timed",
    "Told",
    "Way",
    "curve",
    "format_seconds",
]

SMALLEST_SIZE = 16


def sizes_up_to(largest: int) -> tuple[int, ...]:
    """Powers of two.

    >>> sizes_up_to(64)
    (16, 32, 64)
    """
    return tuple(2**power for power in range(SMALLEST_SIZE.bit_length() - 1, largest.bit_length()))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatmulSweep(OnServer, StreamSettings[MatmulSweepReport, MatmulProgress]):
    """Multiply square matrices of growing size on the CPU and on every real GPU.

    Attributes:
        sizes: Rows of the matrices, growing. Three matrices of the largest are held at a time,
            192 MiB at most.
        repeats: How often each product is timed, if ``POINT_SECONDS`` are enough.
        all_threads: Let PyTorch use every CPU that this server gives it, not one.
    """

    LEAST_SIZE: ClassVar[int] = 2
    MOST_SIZE: ClassVar[int] = 4096
    MOST_SIZES: ClassVar[int] = 16
    MOST_REPEATS: ClassVar[int] = 100
    POINT_SECONDS: ClassVar[float] = 0.25
    PRODUCT_SECONDS: ClassVar[float] = 4.0  # what one product may take at the very most
    TOTAL_SECONDS: ClassVar[float] = 45.0
    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 90.0

    machine: Machine = Machine()
    sizes: tuple[int, ...] = sizes_up_to(512)
    dtypes: tuple[DataType, ...] = tuple(DataType)
    repeats: int = 9
    all_threads: bool = False

    @classmethod
    def up_to(cls, largest: LargestSize, *, machine: Machine, all_threads: bool) -> Self:
        """A sweep over powers of two."""
        sizes = sizes_up_to(int(largest))
        return cls(machine=machine, sizes=sizes, all_threads=all_threads)

    def __post_init__(self) -> None:
        """Refuse what is out of range, before any matrix is made."""
        self.check_types()
        check_within("sizes", len(self.sizes), least=1, most=self.MOST_SIZES)
        for size in self.sizes:
            check_within("sizes", size, least=self.LEAST_SIZE, most=self.MOST_SIZE)
        if list(self.sizes) != sorted(set(self.sizes)):
            rising = ", ".join(map(str, sorted(set(self.sizes))))
            raise InvalidSettingError("choice", field="sizes", given=self.sizes, allowed=rising)
        if not self.dtypes or len(set(self.dtypes)) != len(self.dtypes):
            allowed = ", ".join(DataType)
            raise InvalidSettingError("choice", field="dtypes", given=self.dtypes, allowed=allowed)
        check_within("repeats", self.repeats, least=1, most=self.MOST_REPEATS)

    def device_bytes(self) -> int:
        """Three float32 matrices of the largest size."""
        return 3 * 4 * max(self.sizes) ** 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareClocks(OnServer, StreamSettings[CompareClocksReport, ClockProgress]):
    """Time one product of float32 matrices in four ways, on every device."""

    BOUNDS: ClassVar[Bounds] = {"size": {"least": 64, "most": 2048}}
    REPEATS: ClassVar[int] = 31
    CLOCK_SECONDS: ClassVar[float] = 3.0
    BENCHMARK_SECONDS: ClassVar[float] = 0.2  # what the benchmark is asked to take at least
    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 60.0

    machine: Machine = Machine()
    size: int = 512

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_bounds(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureBandwidth(OnServer, StreamSettings[MeasureBandwidthReport, CopyProgress]):
    """Copy bytes of growing number, within the host and to and from every real GPU.

    Attributes:
        mebibytes: The largest copy. The host holds it twice, and twice more in pinned memory
            where there is a GPU: 384 MiB at most.
    """

    BOUNDS: ClassVar[Bounds] = {"mebibytes": {"least": 1, "most": 96}}
    SMALLEST_BYTES: ClassVar[int] = 4 * KIBIBYTE
    REPEATS: ClassVar[int] = 15
    POINT_SECONDS: ClassVar[float] = 0.5
    TOTAL_SECONDS: ClassVar[float] = 40.0
    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 80.0

    machine: Machine = Machine()
    mebibytes: int = 64

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_bounds(self)

    @property
    def sizes_bytes(self) -> tuple[int, ...]:
        """From the smallest on, four times as many each; the largest is what was asked for."""
        largest = self.mebibytes * MEBIBYTE
        sizes = []
        size = self.SMALLEST_BYTES
        while size < largest:
            sizes.append(size)
            size *= 4
        return (*sizes, largest)

    def device_bytes(self) -> int:
        """The largest copy."""
        return self.mebibytes * MEBIBYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCopy(OnServer, StreamSettings[SplitCopyReport, SplitProgress]):
    """Copy the same bytes once in one piece and once in many."""

    BOUNDS: ClassVar[Bounds] = {"mebibytes": {"least": 1, "most": 64}}
    MOST_PIECES: ClassVar[int] = 16384
    REPEATS: ClassVar[int] = 11
    POINT_SECONDS: ClassVar[float] = 1.5
    TOTAL_SECONDS: ClassVar[float] = 40.0
    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 80.0

    machine: Machine = Machine()
    mebibytes: int = 4
    pieces: int = 4096

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_bounds(self)
        check_within("pieces", self.pieces, least=2, most=self.MOST_PIECES)

    @property
    def size_bytes(self) -> int:
        """All bytes; every piece has as many, so what does not divide evenly is left out."""
        return self.piece_bytes * self.pieces

    @property
    def piece_bytes(self) -> int:
        """The bytes of one piece."""
        return self.mebibytes * MEBIBYTE // self.pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLosses(OnServer, StreamSettings[LogLossesReport, LoggingProgress]):
    """Train a small network and look at its loss in three ways.

    Attributes:
        every: The run that reads the loss back does so after so many steps, again and again.
    """

    BOUNDS: ClassVar[Bounds] = {
        "steps": {"least": 10, "most": 200},
        "every": {"least": 1, "most": 200},
        "width": {"least": 16, "most": 1024},
    }
    REPEATS: ClassVar[int] = 7
    TOTAL_SECONDS: ClassVar[float] = 40.0
    deterministic: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 80.0

    machine: Machine = Machine()
    steps: int = 50
    every: int = 1
    width: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_bounds(self)
        check_within("seed", self.seed, least=0, most=2**31 - 1)
