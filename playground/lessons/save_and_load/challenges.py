"""Checks that need more than one field and one comparison: report → bool."""

from playground.lessons.save_and_load.records import (
    CompareFormatsReport,
    Copying,
    LeftOut,
    LoadElsewhereReport,
    Part,
    RestoreModelReport,
    ResumeTrainingReport,
    RoundTripReport,
    SaveViewReport,
    Source,
)


def is_mostly_numbers(report: RoundTripReport) -> bool:
    """Whether less than a tenth of the file is not numbers."""
    return report.number_bytes > 0.9 * report.file_bytes


def is_loaded_and_different(report: RestoreModelReport) -> bool:
    """Whether all was done that should be, and the outputs differ in spite of it."""
    done = report.loads and report.evaluates and report.outcome.ok
    return done and report.equal_parameters and not report.is_equal


def loses_nothing(report: ResumeTrainingReport) -> bool:
    """Whether the optimizer's state was left out, and was not missed."""
    return report.left_out is LeftOut.OPTIMIZER and report.is_identical_without


def is_on_the_only_gpu(report: LoadElsewhereReport) -> bool:
    """Whether a file of the second GPU has come to the first and only one."""
    is_asked = report.source is Source.SECOND_GPU and report.gpus == 1
    return is_asked and report.device == "cuda:0"


def is_mostly_frame(report: CompareFormatsReport) -> bool:
    """Whether the archive is more than twice as large as the other file."""
    return report.torch.file_bytes > 2 * report.safetensors.file_bytes


def is_small_without_clone(report: SaveViewReport) -> bool:
    """Whether a slice was copied, but not by ``clone``."""
    is_slice = report.part in (Part.FIRST_TWO, Part.EVERY_THOUSANDTH)
    return is_slice and report.copying is not Copying.CLONE and not report.shares_storage
