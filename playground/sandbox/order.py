"""What the jail's child is asked to run, as it travels there."""

from dataclasses import dataclass
from typing import Any

from playground.machines.machine import Machine, MachineKind
from playground.sandbox.json_values import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be run.

    Attributes:
        source: The cell.
        machine: Simulated GPUs, or the plain CPU.
        seed: Of all random numbers.
        looks_at_modules: Tell about the modules that the cell has made.
    """

    source: str
    machine: Machine
    seed: int = 0
    looks_at_modules: bool = True


def arguments_of(order: Order) -> JsonObject:
    """An order as JSON; characters that no encoding has are replaced.

    >>> order = Order(source="1", machine=Machine(gpus=3))
    >>> order_of(arguments_of(order)) == order
    True
    """
    machine = order.machine
    return {
        "source": order.source.encode("utf-8", "replace").decode(),
        "kind": machine.kind.value,
        "gpus": machine.gpus,
        "memory_gib": machine.memory_gib,
        "seed": order.seed,
        "looks_at_modules": order.looks_at_modules,
    }


def order_of(arguments: JsonObject) -> Order:
    """What ``arguments_of`` wrote."""
    told: dict[str, Any] = arguments
    machine = Machine(
        kind=MachineKind(told["kind"]), gpus=told["gpus"], memory_gib=told["memory_gib"]
    )
    return Order(
        source=told["source"],
        machine=machine,
        seed=told["seed"],
        looks_at_modules=told["looks_at_modules"],
    )
