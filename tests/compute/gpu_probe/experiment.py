import os
import time
from pathlib import Path

import torch

from playground.errors import attempt
from tests.compute.gpu_probe import card, records
from tests.waiting import wait_until


def read_card(settings: records.ReadCard) -> records.CardReport:
    begun = time.monotonic()
    if settings.gate:
        Path(f"{settings.gate}-{os.getpid()}").touch()
        wait_until(Path(settings.gate).exists)
    return records.CardReport(
        pid=os.getpid(),
        allocated_bytes=torch.cuda.memory_allocated(0),
        reserved_bytes=torch.cuda.memory_reserved(0),
        begun=begun,
        ended=time.monotonic(),
    )


measure_card = read_card


def see_worker(settings: records.SeeWorker) -> int:
    return os.getpid()


def take_memory(settings: records.TakeMemory) -> records.CardReport:
    if settings.note:
        Path(settings.note).touch()
    held = [card.allocate(settings.piece_bytes) for _ in range(settings.pieces)]
    report = read_card(records.ReadCard())
    held.clear()
    return report


def lose_context(settings: records.LoseContext) -> str:
    if settings.way == "kept":
        return attempt(card.break_context)[1].message
    card.break_context(waits=settings.way != "unnoticed")
    return "it was not lost"
