"""The closed choices of this lesson, as ids; their words stand in ``lesson.toml``."""

from enum import StrEnum, unique


@unique
class DataType(StrEnum):
    """The dtypes that are multiplied; the ids are torch's names."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"

    @property
    def element_bytes(self) -> int:
        """The size of one element."""
        return 4 if self == DataType.FLOAT32 else 2


@unique
class LargestSize(StrEnum):
    """Up to which size the matrices grow."""

    N512 = "512"
    N1024 = "1024"
    N2048 = "2048"
    N4096 = "4096"


@unique
class SkipReason(StrEnum):
    """Why a point was not measured."""

    TOO_SLOW = "too_slow"  # one product would have taken longer than a point may
    OUT_OF_TIME = "out_of_time"  # the time for the whole measurement was used up
    REFUSED = "refused"  # torch said no


@unique
class Clock(StrEnum):
    """How the time of one product is taken."""

    FIRST = "first"
    NAIVE = "naive"
    SYNCHRONISED = "synchronised"
    BENCHMARK = "benchmark"


@unique
class Way(StrEnum):
    """From where to where bytes are copied; ``host`` is memory that is not pinned."""

    HOST_TO_HOST = "host_to_host"
    HOST_TO_DEVICE = "host_to_device"
    PINNED_TO_DEVICE = "pinned_to_device"
    DEVICE_TO_HOST = "device_to_host"
    DEVICE_TO_PINNED = "device_to_pinned"

    @property
    def is_pinned(self) -> bool:
        """The host's side lies in page-locked memory."""
        return self in {Way.PINNED_TO_DEVICE, Way.DEVICE_TO_PINNED}


@unique
class Pieces(StrEnum):
    """Into how many copies the bytes are cut."""

    P16 = "16"
    P256 = "256"
    P1024 = "1024"
    P4096 = "4096"
    P16384 = "16384"


@unique
class Logging(StrEnum):
    """What becomes of the loss of every step."""

    NONE = "none"
    READ = "read"
    KEPT = "kept"
