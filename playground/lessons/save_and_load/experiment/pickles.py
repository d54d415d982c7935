"""A file that asks for more than numbers, before the check of ``torch.load``."""

import io
import re

import torch

from playground.checkpoints.inspect import disassemble, inspect
from playground.checkpoints.save import save_torch
from playground.compute.outcome import Outcome, attempt
from playground.lessons.save_and_load.experiment.cargo import cargo_of
from playground.lessons.save_and_load.records import AskPickle, AskPickleReport

FILE = "weights.pt"
SENTENCE = re.compile(r"(?<=[.])\s+(?=[A-Z(])")
LEFT_OUT = "[…]"


def ask_pickle(settings: AskPickle) -> AskPickleReport:
    """Save it, take its pickle apart, and load it with ``weights_only=True``, as is the default."""
    data = save_torch(cargo_of(settings.cargo)).data or b""
    _, outcome = attempt(lambda: torch.load(io.BytesIO(data), weights_only=True))
    shown = without_advice(outcome) if settings.cargo.is_hostile else outcome
    return AskPickleReport(
        outcome=shown,
        cargo=settings.cargo,
        is_cut=shown != outcome,
        inspection=inspect(data, FILE),
        disassembly=disassemble(data),
    )


def without_advice(outcome: Outcome) -> Outcome:
    """Torch's message without its advice how to load the file all the same.

    >>> said = "Weights only load failed. Do this: `weights_only=False`. Unsupported GLOBAL os."
    >>> without_advice(Outcome(ok=False, message=said)).message
    'Weights only load failed. […] Unsupported GLOBAL os.'
    """
    kept: list[str] = []
    for sentence in SENTENCE.split(outcome.message):
        is_told = not kept or "GLOBAL" in sentence
        if is_told:
            kept.append(sentence)
        elif kept[-1] != LEFT_OUT:
            kept.append(LEFT_OUT)
    return Outcome(ok=outcome.ok, error_type=outcome.error_type, message=" ".join(kept))
