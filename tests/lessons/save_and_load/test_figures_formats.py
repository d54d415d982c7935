"""The picture of two formats: bars in proportion, and every number in words."""

import pytest

from playground.catalog import Language
from playground.compute.outcome import Outcome
from playground.lessons.save_and_load import figures
from playground.lessons.save_and_load.records import (
    CompareFormatsReport,
    FileFormat,
    FormatTimes,
    Span,
)
from playground.palette import DARK, LIGHT
from ui.words import labels

WORDS = labels("save_and_load", Language.EN)


def times(kind: FileFormat, size: int, saving: float, loading: float) -> FormatTimes:
    def span(seconds: float) -> Span:
        return Span(median_seconds=seconds, low_seconds=0.9 * seconds, high_seconds=1.2 * seconds)

    return FormatTimes(format=kind, file_bytes=size, saving=span(saving), loading=span(loading))


def report(**changes: object) -> CompareFormatsReport:
    whole = {
        "outcome": Outcome(ok=True),
        "tensors": 2,
        "number_bytes": 1000,
        "repeats": 9,
        "torch": times(FileFormat.TORCH, 3000, 0.004, 0.008),
        "safetensors": times(FileFormat.SAFETENSORS, 1500, 0.002, 0.002),
        "is_equal": True,
    }
    return CompareFormatsReport(**{**whole, **changes})


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_longer_bar_of_each_pair_fills_the_width(palette) -> None:
    boxes = figures.formats(report(), palette, WORDS).layout.shapes

    widths = [round(each.x1 - each.x0, 3) for each in boxes]
    assert widths == [1.0, 0.5, 1.0, 0.5, 1.0, 0.25]


def test_sizes_and_times_stand_beside_the_bars() -> None:
    drawn = figures.formats(report(), LIGHT, WORDS)

    said = " ".join(each.text for each in drawn.layout.annotations)
    for text in (
        WORDS["file_bytes"],
        WORDS["saving"],
        WORDS["loading"],
        "2.93 KiB",
        "1.46 KiB",
        "8\xa0ms",
        "2\xa0ms",
    ):
        assert text in said


@pytest.mark.parametrize(
    ("loading", "actual", "why"),
    [
        (0.008, "safetensors", "header-and-numbers"),
        (0.002, "about_equal", "both-alike"),
        (0.001, "torch", "torch-was-faster"),
    ],
)
def test_the_answer_follows_from_the_times(loading: float, actual: str, why: str) -> None:
    found = report(torch=times(FileFormat.TORCH, 3000, 0.004, loading))

    assert (found.actual, found.why) == (actual, why)
