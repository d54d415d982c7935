"""Two formats on the same tensors, in turns, so that a disturbance meets both."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from playground.compute import Tell, tell_nobody
from playground.compute.outcome import attempt
from playground.lessons.save_and_load.experiment.scratch import file_bytes, scratch_folder
from playground.lessons.save_and_load.records import (
    CompareFormats,
    CompareFormatsReport,
    FileFormat,
    FormatsProgress,
    FormatTimes,
    Span,
    WriteFileReport,
    WriteWeights,
)

State = dict[str, Tensor]
LEAST_ROUNDS = 3
SAVE: dict[FileFormat, Callable[[Any, str], object]] = {
    FileFormat.TORCH: torch.save,
    FileFormat.SAFETENSORS: save_file,
}
LOAD: dict[FileFormat, Callable[[str], State]] = {
    FileFormat.TORCH: torch.load,
    FileFormat.SAFETENSORS: load_file,
}


@dataclass
class _Times:
    saving: list[float] = field(default_factory=list)
    loading: list[float] = field(default_factory=list)


def compare_formats(
    settings: CompareFormats, tell: Tell[FormatsProgress] = tell_nobody
) -> CompareFormatsReport:
    """Save and load in both formats, again and again; the first round warms up.

    Shape:
        each of the tensors: (numbers,).
    """
    state = _state(settings)
    times = {each: _Times() for each in FileFormat}
    rounds = 1 + settings.REPEATS
    latest = time.perf_counter() + settings.TOTAL_SECONDS
    with scratch_folder():
        for number in range(rounds):
            if number > LEAST_ROUNDS and time.perf_counter() > latest:
                break
            tell(FormatsProgress(done=number, total=rounds))
            for each, taken in times.items():
                saving, loading = _round(each, state)
                if number:
                    taken.saving.append(saving)
                    taken.loading.append(loading)
        sizes = {each: file_bytes(each.file_name) for each in FileFormat}
        is_equal = all(_equal(LOAD[each](each.file_name), state) for each in FileFormat)
    found = {
        each: FormatTimes(
            format=each,
            file_bytes=sizes[each],
            saving=_span(taken.saving),
            loading=_span(taken.loading),
        )
        for each, taken in times.items()
    }
    return CompareFormatsReport(
        outcome=attempt(lambda: None)[1],
        tensors=settings.tensors,
        number_bytes=sum(each.numel() * each.element_size() for each in state.values()),
        repeats=len(times[FileFormat.TORCH].loading),
        torch=found[FileFormat.TORCH],
        safetensors=found[FileFormat.SAFETENSORS],
        is_equal=is_equal,
    )


def write_weights(settings: WriteWeights) -> WriteFileReport:
    """Write one of the two files."""
    with scratch_folder():
        SAVE[settings.format](_state(settings.of), settings.file_name)
        return WriteFileReport(
            data=Path(settings.file_name).read_bytes(), file_name=settings.file_name
        )


def _state(settings: CompareFormats) -> State:
    torch.manual_seed(0)
    names = [f"layer{index}.weight" for index in range(settings.tensors)]
    return {name: torch.randn(settings.numbers) for name in names}


def _round(each: FileFormat, state: State) -> tuple[float, float]:
    """Seconds to save, and to load and use every number once: a mapped file is read by its use."""
    begin = time.perf_counter()
    SAVE[each](state, each.file_name)
    middle = time.perf_counter()
    for tensor in LOAD[each](each.file_name).values():
        tensor.sum()
    return middle - begin, time.perf_counter() - middle


def _span(seconds: list[float]) -> Span:
    low, middle, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return Span(median_seconds=middle, low_seconds=low, high_seconds=high)


def _equal(loaded: State, saved: State) -> bool:
    return loaded.keys() == saved.keys() and all(
        torch.equal(loaded[name], each) for name, each in saved.items()
    )
