"""What the jail can be asked to do, by name; the zygote imports and warms each before any job."""

from collections.abc import Mapping

TASKS: Mapping[str, str] = {
    "probe": "playground.sandbox.jail.probes:probe",
    "load_checkpoint": "playground.checkpoints.jailed.task:load_checkpoint",
    "run_cell": "playground.sandbox.cell.task:run_cell",
}
