"""The state of the workers, the GPUs, the sandbox and the database."""

import streamlit as st

from hosting import progress
from hosting.progress.progress_writer import ProgressWriter
from playground import compute
from playground.machines import nvml
from playground.machines.hardware import Accelerator
from playground.sandbox import jail
from playground.sandbox.jail import SelfTestResult
from playground.units import format_bytes
from ui import html_markup
from ui.language import say

WORKER_COLUMNS = ("pool", "up", "running", "waiting", "crashes", "timeouts")
GPU_COLUMNS = ("gpu", "gpu-memory", "gpu-busy", "gpu-heat")


def draw() -> None:
    """Draw the current state."""
    st.header(say("teacher.server"), anchor=False)
    status = compute.status()
    if pools := status.pools:
        rows = tuple(
            (each.name, each.workers, each.running, each.waiting, each.crashes, each.timeouts)
            for each in pools
        )
        st.html(html_markup.table(tuple(say(f"teacher.{name}") for name in WORKER_COLUMNS), rows))
    elif status.is_awaited:
        st.caption(say("home.server-starting"))
    else:
        st.warning(say("teacher.no-workers"))
    driver = nvml.read_driver()
    if driver and driver.gpus:
        heads = tuple(say(f"teacher.{name}") for name in GPU_COLUMNS)
        st.html(html_markup.table(heads, tuple(map(_gpu, driver.gpus))))
    st.html(html_markup.facts(_facts(has_gpu=bool(driver and driver.gpus))))


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


def _facts(*, has_gpu: bool) -> dict[str, html_markup.Value | None]:
    facts: dict[str, html_markup.Value | None] = {}
    away = compute.status().gpu_retry_seconds
    if away is not None:
        facts[say("teacher.gpu")] = say("teacher.gpu-away", seconds=round(away))
    elif not has_gpu:
        facts[say("teacher.gpu")] = say("teacher.no-gpu")
    facts[say("teacher.sandbox")] = say(f"teacher.{_sandbox(jail.found())}")
    writer = progress.current()
    if writer is not None:
        facts[say("teacher.database")] = _database(writer)
    return facts


def _sandbox(found: SelfTestResult | None) -> str:
    if found is None:
        return "sandbox-starting"
    if not found.ok:
        return "sandbox-closed"
    return "sandbox-open" if found.is_jailed else "sandbox-unjailed"


def _database(writer: ProgressWriter) -> str:
    if writer.is_failing:
        return say("teacher.database-troubled", count=writer.waiting)
    return say("teacher.database-ok" if writer.is_available else "teacher.database-starting")
