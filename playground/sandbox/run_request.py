"""A request to run a cell, as it travels to the jail's child."""

from dataclasses import dataclass
from typing import Any, Self

from playground.machines.machine import Machine, MachineKind
from playground.sandbox.schema import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A cell to run.

    Attributes:
        source: The cell.
        machine: Simulated GPUs, or the plain CPU.
        seed: Of all random numbers.
        looks_at_modules: Report the modules that the cell has made.
    """

    source: str
    machine: Machine
    seed: int = 0
    looks_at_modules: bool = True

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
        )
