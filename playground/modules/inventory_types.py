"""Records of a tensor inventory: one row for every tensor, as plain values. Free of torch."""

from dataclasses import dataclass
from enum import StrEnum, unique

from playground.machines.machine import DeviceName


@unique
class Kind(StrEnum):
    """The role of a tensor in the module that leads to it."""

    PARAMETER = "parameter"
    BUFFER = "buffer"
    NON_PERSISTENT_BUFFER = "non_persistent_buffer"
    TENSOR = "tensor"  # neither: an attribute, or an element of a container
    LOSS_BUFFER = "loss_buffer"
    OPTIMIZER_STATE = "optimizer_state"


@unique
class Reason(StrEnum):
    """Reasons why a move takes a tensor along, or leaves it; the words stand in the lesson."""

    REGISTERED_PARAMETER = "registered_parameter"
    REGISTERED_BUFFER = "registered_buffer"
    NOT_SAVED = "not_saved"  # a non-persistent buffer: moves, and is in no state_dict
    UNINITIALISED = "uninitialised"  # lazy: no shape yet, but a device
    PLAIN_ATTRIBUTE = "plain_attribute"
    COMPUTED = "computed"  # an attribute that autograd made from something else
    IN_LIST = "in_list"
    IN_TUPLE = "in_tuple"
    IN_DICT = "in_dict"
    IN_SET = "in_set"
    IN_OBJECT = "in_object"  # a dataclass, or any other object with attributes; a closure
    UNREGISTERED_MODULE = "unregistered_module"  # a module as an attribute, past registration
    IN_LOSS = "in_loss"
    OPTIMIZER_STATE = "optimizer_state"
    STEP_COUNT = "step_count"  # one value on the CPU, which an optimizer keeps there on purpose
    ONLY_IN_OPTIMIZER = "only_in_optimizer"  # a parameter that the module does not lead to


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorRow:
    """One tensor, however many ways lead to it.

    Attributes:
        paths: All ways to it, registered ones first, as a program would write them after the
            module, e.g. ``("0.weight", "layers[0].weight")``. What the loss leads to begins with
            ``loss.``, what the optimizer leads to with ``optimizer.``.
        device: Where it is now.
        is_registered: The module, or the loss, that leads to it knows it: ``.to`` visits it.
        in_state_dict: It is in the ``state_dict()`` of that module, or loss.
        is_trainable: It requires a gradient.
        shape: None while it has none: a lazy parameter before its first batch.
    """

    paths: tuple[str, ...]
    kind: Kind
    device: DeviceName
    is_registered: bool
    in_state_dict: bool
    is_trainable: bool
    shape: tuple[int, ...] | None
    reason: Reason

    @property
    def path(self) -> str:
        """The first way to it, its name."""
        return self.paths[0]


@dataclass(frozen=True, slots=True)
class TensorInventory:
    """Every tensor that a module, its loss and its optimizer lead to.

    Attributes:
        rows: In the order of ``named_parameters`` and ``named_buffers`` within each module; what is
            not registered follows, then the loss, then the optimizer.
    """

    rows: tuple[TensorRow, ...]

    def at(self, path: str) -> TensorRow | None:
        """Return the row that a path leads to, if there is one."""
        return next((row for row in self.rows if path in row.paths), None)
