"""What the workers, the GPUs, the sandbox and the database are doing."""

import streamlit as st

from hosting import progress
from hosting.progress.keeper import Keeper
from playground import compute
from playground.machines import nvml
from playground.machines.hardware import Accelerator
from playground.sandbox import jail
from playground.sandbox.jail import Preflight
from playground.units import format_bytes
from ui import answer_view
from ui.words import say

LANE = ("lane", "up", "running", "waiting", "crashes", "timeouts")
GPU = ("gpu", "gpu-memory", "gpu-busy", "gpu-heat")


def draw() -> None:
    """Draw it as it is now."""
    st.subheader(say("teacher.server"), anchor=False)
    status = compute.status()
    if lanes := status.lanes:
        rows = tuple(
            (each.name, each.workers, each.running, each.waiting, each.crashes, each.timeouts)
            for each in lanes
        )
        st.html(answer_view.table(tuple(say(f"teacher.{name}") for name in LANE), rows))
    elif status.is_awaited:
        st.caption(say("home.server-starting"))
    else:
        st.warning(say("teacher.no-workers"))
    driver = nvml.read_driver()
    if driver and driver.gpus:
        heads = tuple(say(f"teacher.{name}") for name in GPU)
        st.html(answer_view.table(heads, tuple(map(_gpu, driver.gpus))))
    st.html(answer_view.facts(_facts(has_gpu=bool(driver and driver.gpus))))


def _gpu(gpu: Accelerator) -> tuple[str | None, ...]:
    memory = None
    if gpu.memory_used_bytes is not None and gpu.memory_total_bytes is not None:
        memory = say(
            "teacher.of",
            count=format_bytes(gpu.memory_used_bytes),
            all=format_bytes(gpu.memory_total_bytes),
        )
    busy, heat = gpu.utilisation_percent, gpu.temperature_celsius
    return (
        gpu.name or gpu.kind,
        memory,
        None if busy is None else f"{busy} %",
        None if heat is None else f"{heat} °C",
    )


def _facts(*, has_gpu: bool) -> dict[str, answer_view.Value | None]:
    facts: dict[str, answer_view.Value | None] = {}
    away = compute.status().gpu_retry_seconds
    if away is not None:
        facts[say("teacher.gpu")] = say("teacher.gpu-away", seconds=round(away))
    elif not has_gpu:
        facts[say("teacher.gpu")] = say("teacher.no-gpu")
    facts[say("teacher.sandbox")] = say(f"teacher.{_sandbox(jail.found())}")
    keeper = progress.current()
    if keeper is not None:
        facts[say("teacher.database")] = _database(keeper)
    return facts


def _sandbox(found: Preflight | None) -> str:
    if found is None:
        return "sandbox-starting"
    if not found.ok:
        return "sandbox-closed"
    return "sandbox-open" if found.is_jailed else "sandbox-unjailed"


def _database(keeper: Keeper) -> str:
    if keeper.is_troubled:
        return say("teacher.database-troubled", count=keeper.waiting)
    return say("teacher.database-ok" if keeper.is_available else "teacher.database-starting")
