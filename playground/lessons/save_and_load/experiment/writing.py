"""The file of a step, made anew for whoever wants to take it away."""

from pathlib import Path

import torch

from playground.checkpoints.save import check_buildable
from playground.lessons.save_and_load.experiment import (
    comparing,
    elsewhere,
    folders,
    restoring,
    resuming,
    saving,
    views,
)
from playground.lessons.save_and_load.experiment.scratch import scratch_folder
from playground.lessons.save_and_load.records import (
    CompareKeys,
    LoadElsewhere,
    RestoreModel,
    ResumeTraining,
    RoundTrip,
    SaveInto,
    SaveView,
    Saving,
    WriteFile,
    WriteFileReport,
)
from playground.modules.build import build


def write_file(settings: WriteFile) -> WriteFileReport:
    """Write it as the step's program does, and read its bytes."""
    with scratch_folder():
        name = _write(settings.of)
        return WriteFileReport(data=Path(name).read_bytes(), file_name=Path(name).name)


def _write(settings: Saving) -> str:
    """Save into the current folder; the name of the file."""
    match settings:
        case RoundTrip():
            name = settings.thing.file_name
            torch.save(saving.thing_of(settings.thing, torch.arange(settings.length)), name)
            return name
        case SaveInto():
            folders.save(settings.place)
            return folders.FILE
        case RestoreModel():
            check_buildable(settings.spec)
            torch.save(build(settings.spec, settings.seed).state_dict(), restoring.FILE)
            return restoring.FILE
        case CompareKeys():
            check_buildable(settings.saved)
            torch.save(comparing.made(settings.saved, seed=0).state_dict(), comparing.FILE)
            return comparing.FILE
        case ResumeTraining():
            loop = resuming.Loop(settings)
            training = loop.make()
            loop.train(training, settings.before)
            checkpoint = resuming.checkpoint_of(training, settings.before, settings.left_out)
            torch.save(checkpoint, resuming.FULL)
            return resuming.FULL
        case LoadElsewhere():
            elsewhere.save_there(settings)
            return elsewhere.FILE
        case SaveView():
            big = torch.arange(settings.length, dtype=torch.float32)
            torch.save(views.part_of(settings, big), views.FILE)
            return views.FILE
