"""The programs of this lesson, as a student would write them; knows no torch."""

from playground.lessons.save_and_load.source.comparing import compare_keys
from playground.lessons.save_and_load.source.elsewhere import (
    OTHER_MACHINE,
    load_elsewhere,
    mend_loading,
)
from playground.lessons.save_and_load.source.folders import mend_folder, save_into
from playground.lessons.save_and_load.source.formats import compare_formats
from playground.lessons.save_and_load.source.pickles import ask_pickle
from playground.lessons.save_and_load.source.restoring import restore_model
from playground.lessons.save_and_load.source.resuming import resume_training
from playground.lessons.save_and_load.source.samples import make_sample
from playground.lessons.save_and_load.source.saving import round_trip
from playground.lessons.save_and_load.source.views import save_view

__all__ = [
    "OTHER_MACHINE",
    "ask_pickle",
    "compare_formats",
    "compare_keys",
    "load_elsewhere",
    "make_sample",
    "mend_folder",
    "mend_loading",
    "restore_model",
    "resume_training",
    "round_trip",
    "save_into",
    "save_view",
]
