"""A request to run a cell, as it travels to the jail's child."""

from dataclasses import dataclass, field
from typing import Any, Self

from playground.machines.machine import Machine, MachineKind
from playground.sandbox.allowed_names import is_file_name
from playground.sandbox.limits import LIMITS
from playground.sandbox.schema import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile:
    """A file of the student's own.

    Attributes:
        name: A plain name, under which the cell finds it.
        content: Its bytes.
    """

    name: str
    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse a name that no cell could say, and more bytes than a run may have."""
        if not is_file_name(self.name) or len(self.content) > LIMITS.own_file_bytes:
            raise ValueError("no file that a cell may be given")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A cell to run.

    Attributes:
        source: The cell.
        machine: Simulated GPUs, or the plain CPU.
        seed: Of all random numbers.
        looks_at_modules: Report the modules that the cell has made.
        own_file: The name under which the cell finds the data of the job; empty without.
    """

    source: str
    machine: Machine
    seed: int = 0
    looks_at_modules: bool = True
    own_file: str = ""

    def to_json(self) -> JsonObject:
        """Return the arguments of the task; characters that no encoding has are replaced.

        >>> request = RunRequest(source="1", machine=Machine(gpus=3))
        >>> RunRequest.from_json(request.to_json()) == request
        True
        """
        machine = self.machine
        return {
            "source": self.source.encode("utf-8", "replace").decode(),
            "kind": machine.kind.value,
            "gpus": machine.gpus,
            "memory_gib": machine.memory_gib,
            "seed": self.seed,
            "looks_at_modules": self.looks_at_modules,
            "own_file": self.own_file,
        }

    @classmethod
    def from_json(cls, arguments: JsonObject) -> Self:
        """Read what ``to_json`` wrote."""
        given: dict[str, Any] = arguments
        machine = Machine(
            kind=MachineKind(given["kind"]), gpus=given["gpus"], memory_gib=given["memory_gib"]
        )
        return cls(
            source=given["source"],
            machine=machine,
            seed=given["seed"],
            looks_at_modules=given["looks_at_modules"],
            own_file=given["own_file"],
        )
