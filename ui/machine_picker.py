"""The machine that lessons run on: chosen in the sidebar, kept in the URL, for all pages."""

from functools import cache

import streamlit as st

from playground.machines import Machine, MachineKind, device_names
from playground.machines.presence import count_cuda_gpus
from ui import address
from ui.words import say

KIND, GPUS, MEMORY = "machine", "gpus", "memory"
LEAST_GPUS = 1
DEFAULT = Machine()
MOST_MEMORY_GIB = int(Machine.MOST_MEMORY_GIB)


@cache
def real_gpus() -> int:
    """How many CUDA devices the server has; asked once, without torch."""
    return count_cuda_gpus()


def default_kind() -> MachineKind:
    """Real where the server has a GPU, simulated elsewhere."""
    return MachineKind.REAL if real_gpus() else MachineKind.SIMULATED


def current() -> Machine:
    """The machine of this run."""
    return Machine(
        kind=MachineKind(st.session_state.get(KIND) or default_kind()),
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
