"""Run a shown program as a student would, on any machine."""

from playground.compute.torch_state import preserve_torch_state
from playground.errors import Outcome, attempt
from playground.machines import Machine
from playground.machines.machine_context import running_on
from playground.steps.files import scratch_folder


def run_program(program: str, machine: Machine) -> tuple[object, Outcome]:
    """Execute a program; return what it bound to ``result``, or torch's refusal."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    code = compile(program, "<program>", "exec")
    with preserve_torch_state(), running_on(machine), scratch_folder():
        _, outcome = attempt(lambda: exec(code, namespace))
        return namespace.get("result"), outcome
