import os
import time
from pathlib import Path

import torch

from playground.compute.outcome import attempt
from tests.compute.gpu_probe import card
from tests.compute.gpu_probe.records import (
    CardReport,
    LoseContext,
    MeasureCard,
    ReadCard,
    SeeWorker,
    TakeMemory,
)
from tests.waiting import wait_until


def read_card(settings: ReadCard) -> CardReport:
    begun = time.monotonic()
    if settings.gate:
        Path(f"{settings.gate}-{os.getpid()}").touch()
        wait_until(Path(settings.gate).exists)
    return CardReport(
        pid=os.getpid(),
        allocated_bytes=torch.cuda.memory_allocated(0),
        reserved_bytes=torch.cuda.memory_reserved(0),
        begun=begun,
        ended=time.monotonic(),
    )


def measure_card(settings: MeasureCard) -> CardReport:
    return read_card(ReadCard())


def see_worker(settings: SeeWorker) -> int:
    return os.getpid()


def take_memory(settings: TakeMemory) -> CardReport:
    if settings.note:
        Path(settings.note).touch()
    held = [card.allocate(settings.piece_bytes) for _ in range(settings.pieces)]
    report = read_card(ReadCard())
    held.clear()
    return report


def lose_context(settings: LoseContext) -> str:
    if settings.way == "kept":
        return attempt(card.break_context)[1].message
    card.break_context(waits=settings.way != "unnoticed")
    return "it was not lost"
