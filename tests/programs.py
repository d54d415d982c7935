"""Run a shown program as a student would, on any machine."""

from playground.compute import torch_state
from playground.compute.outcome import Outcome, attempt
from playground.machines import Machine
from playground.machines.host import running_on


def run_program(program: str, machine: Machine) -> tuple[object, Outcome]:
    """Execute a program; return what it bound to ``result``, or torch's refusal."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    code = compile(program, "<program>", "exec")
    with torch_state.restored(), running_on(machine):
        _, outcome = attempt(lambda: exec(code, namespace))
        return namespace.get("result"), outcome
