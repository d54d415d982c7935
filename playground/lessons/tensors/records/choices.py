"""The closed choices of this lesson: ids in lower case, the words for them stand in lesson.toml."""

from collections.abc import Mapping
from enum import StrEnum, unique


@unique
class CreationWay(StrEnum):
    """How a tensor gets to the device that it is meant for."""

    MOVED = "moved"
    DIRECT = "direct"


@unique
class MoveMethod(StrEnum):
    """The four ways to ask for a tensor on another device."""

    TO = "to"
    CUDA = "cuda"
    CUDA_INDEX = "cuda_index"
    CPU = "cpu"


@unique
class Assignment(StrEnum):
    """What becomes of the tensor that a move returns."""

    NEW_NAME = "new_name"
    SAME_NAME = "same_name"
    NOTHING = "nothing"


@unique
class Computation(StrEnum):
    """A computation on one tensor."""

    POWER = "power"
    COMPARE = "compare"
    SUM = "sum"
    ITEM = "item"

    @property
    def formula(self) -> str:
        """The computation as a program writes it."""
        return COMPUTATIONS[self]


COMPUTATIONS = {
    Computation.POWER: "x ** 2",
    Computation.COMPARE: "x > 1",
    Computation.SUM: "x.sum()",
    Computation.ITEM: "x.sum().item()",
}


@unique
class Operation(StrEnum):
    """An operation in which two tensors meet."""

    ADD = "add"
    MATMUL = "matmul"
    LINEAR = "linear"
    CAT = "cat"
    WHERE = "where"
    INDEXING = "indexing"

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the tensors that meet."""
        return ("X", "Y", "b") if self == Operation.LINEAR else ("X", "Y")

    def written(self, names: Mapping[str, str] | None = None) -> str:
        """The operation as a program writes it.

        Args:
            names: What stands in an operand's place, by its name; the others stand for themselves.

        >>> Operation.CAT.written({"Y": "Y.cpu()"})
        'torch.cat([X, Y.cpu()])'
        """
        return FORMULAS[self].format_map({name: name for name in "XYb"} | dict(names or {}))


FORMULAS = {
    Operation.ADD: "{X} + {Y}",
    Operation.MATMUL: "{X} @ {Y}",
    Operation.LINEAR: "F.linear({X}, {Y}, {b})",
    Operation.CAT: "torch.cat([{X}, {Y}])",
    Operation.WHERE: "torch.where({X} > 2, {X}, {Y})",
    Operation.INDEXING: "{X}[{Y}]",
}


@unique
class ZeroDim(StrEnum):
    """Which of the two tensors has no dimensions, only one value."""

    NEITHER = "neither"
    LEFT = "left"
    RIGHT = "right"


@unique
class Remedy(StrEnum):
    """What is moved so that two tensors meet on one device."""

    MOVE_RIGHT = "move_right"
    MOVE_LEFT = "move_left"
    MOVE_BOTH = "move_both"


@unique
class NumpyChain(StrEnum):
    """What is called to get an array from a tensor."""

    NUMPY = "numpy"
    CPU = "cpu_numpy"
    DETACH = "detach_numpy"
    DETACH_CPU = "detach_cpu_numpy"
    FORCE = "force"


@unique
class Edit(StrEnum):
    """What is changed after the conversion."""

    ARRAY = "array"
    TENSOR = "tensor"
    REBOUND = "rebound"


@unique
class Alike(StrEnum):
    """A factory that takes a tensor as its model; PLAIN takes none."""

    NEW_TENSOR = "new_tensor"
    NEW_ZEROS = "new_zeros"
    ZEROS_LIKE = "zeros_like"
    PLAIN = "plain"


@unique
class Override(StrEnum):
    """What the factory is told to take from elsewhere."""

    NOTHING = "nothing"
    DTYPE = "dtype"
    DEVICE = "device"


@unique
class ToForm(StrEnum):
    """What ``.to`` is given."""

    OTHER = "other"
    DEVICE_AND_DTYPE = "device_and_dtype"
    DEVICE_ONLY = "device_only"
    DTYPE_ONLY = "dtype_only"


@unique
class DataType(StrEnum):
    """Element types, by their names in torch."""

    FLOAT32 = "float32"
    FLOAT64 = "float64"
    FLOAT16 = "float16"
    INT64 = "int64"
    INT8 = "int8"


@unique
class TransferKind(StrEnum):
    """How bytes travel from host memory to a GPU."""

    PAGEABLE = "pageable"
    PINNED = "pinned"
    PINNED_NON_BLOCKING = "pinned_non_blocking"
