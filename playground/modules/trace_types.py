"""Records of a trace: one row for every call of a module, as plain values. Free of torch.

A described value is one of three: a tensor is the tuple of its sizes, ``(2, 20)``; a container is a
``Group``; anything else is the text that Python writes for it, ``"None"`` or ``"'mean'"``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

from playground.errors import Outcome
from playground.machines.machine import DeviceName
from playground.modules.inventory_types import Reason

Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A container among a module's inputs or outputs.

    Attributes:
        type_name: ``"tuple"``, ``"list"``, ``"dict"``, ``"PackedSequence"``, a dataclass's name …;
            ``"call"`` for the inputs of a call.
        items: What it holds, in order.
        names: One for each item: a dict's keys as Python writes them, the fields of a dataclass;
            empty for a tuple and a list. In a call an input without a keyword has ``""``.
    """

    type_name: str
    items: "tuple[Described, ...]"
    names: tuple[str, ...] = ()


Described: TypeAlias = Shape | Group | str


def shapes_in(described: Described | None) -> Iterator[Shape]:
    """Yield every tensor's shape in a described value, in order.

    >>> list(shapes_in(Group("tuple", ((2, 8), "None", Group("list", ((1, 2, 8),))))))
    [(2, 8), (1, 2, 8)]
    """
    if isinstance(described, Group):
        for item in described.items:
            yield from shapes_in(item)
    elif isinstance(described, tuple):
        yield described


@unique
class WarningKind(StrEnum):
    """The kind of a warning of a trace."""

    HIDDEN_MODULE = "hidden_module"  # past registration: .parameters() does not know it
    HIDDEN_TENSOR = "hidden_tensor"  # no parameter and no buffer: .to() does not move it
    MADE_IN_FORWARD = "made_in_forward"  # a module that a forward made, to be forgotten after it


@dataclass(frozen=True, slots=True)
class TraceWarning:
    """Something hidden from registration, or made in the forward.

    Attributes:
        path: How a program reaches it after the module, e.g. ``"layers[0]"``.
        type_name: The module's class; empty for a tensor.
        reason: Why registration does not see it, where there is a reason.
    """

    kind: WarningKind
    path: str
    type_name: str = ""
    reason: Reason | None = None


@unique
class TieKind(StrEnum):
    """The way in which parameters are tied."""

    SAME_PARAMETER = "same_parameter"  # one Parameter under several names
    SHARED_MEMORY = "shared_memory"  # several Parameters whose values lie in the same memory


@dataclass(frozen=True, slots=True)
class TieGroup:
    """Parameters that are one; they count once.

    Attributes:
        name: The first path; rows refer to the group by it.
        paths: All names of it, in the order of ``named_parameters(remove_duplicate=False)``.
        parameters: How many values there are, counted once.
    """

    name: str
    paths: tuple[str, ...]
    kind: TieKind
    parameters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A change after which the failing layer accepts what it was given.

    Either ``argument`` is to be ``value`` in the layer at ``path``, or a layer ``insert`` is to
    stand before it.

    Attributes:
        path: The layer's.
        type_name: The layer's class, e.g. ``"Linear"``.
        argument: e.g. ``"in_features"``; None where a layer is to be inserted.
        value: What fits.
        given: What the argument is now.
        insert: e.g. ``"Flatten"``; None where an argument is to change.
    """

    path: str
    type_name: str
    argument: str | None = None
    value: int | Shape | None = None
    given: int | Shape | None = None
    insert: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """One call of a module.

    Numbers of parameters, buffers and bytes are those after the forward, each value counted once.

    Attributes:
        path: ``""`` for the module itself, else its name in ``named_modules()``; of several the one
            by which this call went. ``"layers[0]"`` for a module hidden in a list.
        type_name: Its class; a lazy one that has been initialised has become another.
        depth: How many calls are around this one.
        inputs: A group ``"call"``, as the caller passed them.
        output: None where the call did not return.
        own_parameters: Values in the parameters that it holds itself.
        total_parameters: With those of the modules inside.
        trainable_parameters: Of the total, those that require a gradient.
        buffers: Values in buffers, with those of the modules inside.
        size_bytes: Of all these parameters and buffers.
        output_bytes: Of the tensors that it returned.
        device: Of its parameters and buffers, else of what it returned; several are joined by
            ``", "``; empty where there is no tensor.
        dtype: Likewise, e.g. ``"float32"``.
        multiply_adds: For the whole batch, by its own parameters only, so rows can be added up:
            each use of a weight or a bias is one. None where the class is not known.
        call: The how manieth call of this module, from 1.
        calls: How often it was called in all.
        ties: Names of the tie groups to which parameters inside belong.
        is_lazy: A parameter or buffer inside is not initialised, so it is not counted.
    """

    path: str
    type_name: str
    depth: int
    inputs: Group
    output: Described | None
    own_parameters: int
    total_parameters: int
    trainable_parameters: int
    buffers: int
    size_bytes: int
    output_bytes: int
    device: DeviceName
    dtype: str
    multiply_adds: int | None
    call: int
    calls: int
    ties: tuple[str, ...] = ()
    is_lazy: bool = False

    @property
    def has_returned(self) -> bool:
        """The call came to its end."""
        return self.output is not None

    @property
    def input_shapes(self) -> tuple[Shape, ...]:
        """Every tensor among the inputs, however nested, in order."""
        return tuple(shapes_in(self.inputs))

    @property
    def output_shapes(self) -> tuple[Shape, ...]:
        """Every tensor in the output, however nested, in order; empty where there is none."""
        return tuple(shapes_in(self.output))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardTrace:
    """One forward, call by call.

    Attributes:
        rows: In the order in which the calls began; the first is the module itself. Where the
            forward failed, the last is the failing layer, unless layers had run inside it.
        total_parameters: Of the module, each value counted once.
        trainable_parameters: Of these, those that require a gradient.
        buffers: Values in the module's buffers.
        size_bytes: Of all parameters and buffers.
        multiply_adds: Of all rows where it is known.
        outcome: Whether the forward worked; torch's error where it did not.
        failed_at: The path of the innermost call that raised; ``""`` is the module itself, None
            that none raised.
        suggestion: What would let the failing layer run, where it can be computed.
        tie_groups: Parameters that are one.
        warnings: What is hidden from registration.
        uncalled: Paths of modules with parameters of their own that no row shows: not used, or used
            in another way than by a call.
    """

    rows: tuple[TraceRow, ...]
    total_parameters: int
    trainable_parameters: int
    buffers: int
    size_bytes: int
    multiply_adds: int
    outcome: Outcome
    failed_at: str | None = None
    suggestion: Suggestion | None = None
    tie_groups: tuple[TieGroup, ...] = ()
    warnings: tuple[TraceWarning, ...] = ()
    uncalled: tuple[str, ...] = ()

    def at(self, path: str) -> TraceRow | None:
        """Return the first call of the module at a path, if there was one."""
        return next((row for row in self.rows if row.path == path), None)
