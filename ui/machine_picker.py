"""The machine that lessons run on: chosen in the sidebar, kept in the URL, for all pages."""

import streamlit as st

from playground import compute
from playground.machines import Machine, MachineKind, device_names
from ui import address
from ui.words import say

KIND, GPUS, MEMORY = "machine", "gpus", "memory"
LEAST_GPUS = 1
DEFAULT = Machine()
MOST_MEMORY_GIB = int(Machine.MOST_MEMORY_GIB)


def real_gpus() -> int:
    """How many CUDA devices an experiment may use on the server, or on its cluster."""
    return compute.count_gpus()


def is_gpu_away() -> bool:
    """Whether the server has a GPU that cannot be used at the moment."""
    return bool(compute.status().gpu_problem)


def default_kind() -> MachineKind:
    """Real where the server has a GPU, simulated elsewhere."""
    return MachineKind.REAL if is_gpu_away() or real_gpus() else MachineKind.SIMULATED


def current() -> Machine:
    """The machine of this run; while the server's GPU is away, simulated ones stand in for it."""
    chosen = MachineKind(st.session_state.get(KIND) or default_kind())
    return Machine(
        kind=MachineKind.SIMULATED if is_gpu_away() else chosen,
        gpus=st.session_state.get(GPUS) or DEFAULT.gpus,  # None: the field was emptied
        memory_gib=float(st.session_state.get(MEMORY) or DEFAULT.memory_gib),
    )


def devices(machine: Machine) -> tuple[str, ...]:
    """The names of the machine's devices."""
    return device_names(machine.gpus if machine.is_simulated else real_gpus())


def badge(machine: Machine) -> str:
    """The machine in a few words."""
    if machine.is_simulated:
        return say("machine.simulated", gpus=machine.gpus, memory=f"{machine.memory_gib:g}")
    return say("machine.real")


def picker() -> None:
    """Draw the picker; the numbers are there for simulated machines only."""
    default = default_kind()
    address.settle_choice(KIND, tuple(MachineKind), default)
    st.segmented_control(
        say("sidebar.machine"),
        tuple(MachineKind),
        format_func=lambda kind: say(f"sidebar.{kind}"),
        key=KIND,
        required=True,
        help=say("sidebar.machine-help"),
    )
    kind = MachineKind(st.session_state[KIND])
    address.write(KIND, kind, default)
    if kind == MachineKind.REAL and is_gpu_away():
        st.caption(say("sidebar.gpu-away"))
        return
    if kind == MachineKind.REAL:
        count = real_gpus()
        st.caption(say("sidebar.some-gpus", count=count) if count else say("sidebar.no-gpu"))
        return
    left, right = st.columns(2)
    left.number_input(
        f"{say('sidebar.gpus')} ({LEAST_GPUS} – {Machine.MOST_GPUS})",
        LEAST_GPUS,
        Machine.MOST_GPUS,
        DEFAULT.gpus,
        key=GPUS,
        bind=address.binding(GPUS),
    )
    right.number_input(
        f"{say('sidebar.memory')} (1 – {MOST_MEMORY_GIB})",
        1,
        MOST_MEMORY_GIB,
        int(DEFAULT.memory_gib),
        key=MEMORY,
        bind=address.binding(MEMORY),
    )
