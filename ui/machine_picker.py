"""The machine that steps run on: chosen in the sidebar and stored in the URL, for all pages."""

import streamlit as st

from playground import compute
from playground.machines import Machine, MachineKind, device_names
from ui import url_state
from ui.language import say

KIND, GPUS, MEMORY = "machine", "gpus", "memory"
MIN_GPUS = 1
DEFAULT = Machine()
MAX_MEMORY_GIB = int(Machine.MAX_MEMORY_GIB)


def real_gpus() -> int:
    """Return how many CUDA devices an experiment may use on the server, or on its cluster."""
    return compute.count_gpus()


def is_gpu_away() -> bool:
    """Return whether the server has a GPU that cannot be used at the moment."""
    return bool(compute.status().gpu_problem)


def default_kind() -> MachineKind:
    """Return the default: real if the server has a GPU, else simulated."""
    return MachineKind.REAL if is_gpu_away() or real_gpus() else MachineKind.SIMULATED


def current() -> Machine:
    """Return the machine of this run; a simulated one while the server's GPU is unavailable."""
    chosen = MachineKind(st.session_state.get(KIND) or default_kind())
    return Machine(
        kind=MachineKind.SIMULATED if is_gpu_away() else chosen,
        gpus=st.session_state.get(GPUS) or DEFAULT.gpus,  # None: the field was emptied
        memory_gib=float(st.session_state.get(MEMORY) or DEFAULT.memory_gib),
    )


def devices(machine: Machine) -> tuple[str, ...]:
    """Return the names of the machine's devices."""
    return device_names(machine.gpus if machine.is_simulated else real_gpus())


def badge(machine: Machine) -> str:
    """Describe the machine in a few words."""
    if machine.is_simulated:
        return say("machine.simulated", gpus=machine.gpus, memory=f"{machine.memory_gib:g}")
    return say("machine.real")


def draw() -> None:
    """Draw the picker; a simulated machine has a number of GPUs and their memory."""
    default = default_kind()
    url_state.restore_choice(KIND, tuple(MachineKind), default)
    st.segmented_control(
        say("sidebar.machine"),
        tuple(MachineKind),
        format_func=lambda kind: say(f"sidebar.{kind}"),
        key=KIND,
        required=True,
        help=say("sidebar.machine-help"),
    )
    kind = MachineKind(st.session_state[KIND])
    url_state.write_parameter(KIND, kind, default)
    if kind == MachineKind.REAL and is_gpu_away():
        st.caption(say("sidebar.gpu-away"))
        return
    if kind == MachineKind.REAL:
        count = real_gpus()
        st.caption(say("sidebar.some-gpus", count=count) if count else say("sidebar.no-gpu"))
        return
    st.number_input(
        f"{say('sidebar.gpus')} ({MIN_GPUS} – {Machine.MAX_GPUS})",
        MIN_GPUS,
        Machine.MAX_GPUS,
        DEFAULT.gpus,
        key=GPUS,
        bind=url_state.number_binding(GPUS),
    )
    st.number_input(
        f"{say('sidebar.memory')} (1 – {MAX_MEMORY_GIB})",
        1,
        MAX_MEMORY_GIB,
        int(DEFAULT.memory_gib),
        key=MEMORY,
        bind=url_state.number_binding(MEMORY),
    )
