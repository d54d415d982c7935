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


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedRow:
    """One tensor before and after a move; the attributes are those of ``TensorRow``.

    Attributes:
        device_before: None where nothing was there yet.
        device_after: None where nothing is there any more.
    """

    paths: tuple[str, ...]
    kind: Kind
    device_before: DeviceName | None
    device_after: DeviceName | None
    is_registered: bool
    in_state_dict: bool
    is_trainable: bool
    shape: tuple[int, ...] | None
    reason: Reason

    @property
    def path(self) -> str:
        """The first way to it, its name."""
        return self.paths[0]

    @property
    def has_moved(self) -> bool:
        """It was there before, it is there now, and elsewhere."""
        both = (self.device_before, self.device_after)
        return None not in both and self.device_before != self.device_after


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

    def compared_with(self, after: "TensorInventory") -> tuple[MovedRow, ...]:
        """Compare this inventory with a later one of the same module.

        Rows meet by their paths, since a move makes a new tensor of every buffer. Where paths led
        to one tensor before and lead to two now, each has a row.

        Args:
            after: The inventory after the move.

        Returns:
            The rows in the order of this inventory; then those that are new.
        """
        now = {path: row for row in after.rows for path in row.paths}
        met: set[str] = set()
        moved = []
        for old in self.rows:
            groups: dict[int, tuple[TensorRow | None, list[str]]] = {}
            for path in old.paths:
                new = now.get(path)
                groups.setdefault(id(new), (new, []))[1].append(path)
            if len(groups) > 1:
                groups.pop(id(None), None)  # a way that is no longer there; another one is
            for new, paths in groups.values():
                met.update(paths)
                moved.append(_moved(old, new, tuple(paths)))
        for new in after.rows:
            if not met.intersection(new.paths):
                moved.append(_moved(None, new, new.paths))
        return tuple(moved)


def _moved(old: TensorRow | None, new: TensorRow | None, paths: tuple[str, ...]) -> MovedRow:
    row = new or old
    assert row is not None
    return MovedRow(
        paths=paths,
        kind=row.kind,
        device_before=None if old is None else old.device,
        device_after=None if new is None else new.device,
        is_registered=row.is_registered,
        in_state_dict=row.in_state_dict,
        is_trainable=row.is_trainable,
        shape=row.shape,
        reason=row.reason,
    )
