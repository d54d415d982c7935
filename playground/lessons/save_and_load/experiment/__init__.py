"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.save_and_load.experiment.comparing import compare_keys
from playground.lessons.save_and_load.experiment.elsewhere import load_elsewhere
from playground.lessons.save_and_load.experiment.folders import save_into
from playground.lessons.save_and_load.experiment.formats import compare_formats, write_weights
from playground.lessons.save_and_load.experiment.parameters import write_parameters
from playground.lessons.save_and_load.experiment.pickles import ask_pickle
from playground.lessons.save_and_load.experiment.restoring import restore_model
from playground.lessons.save_and_load.experiment.resuming import resume_training
from playground.lessons.save_and_load.experiment.samples import make_sample
from playground.lessons.save_and_load.experiment.saving import round_trip
from playground.lessons.save_and_load.experiment.views import save_view
from playground.lessons.save_and_load.experiment.writing import write_file

__all__ = [
    "ask_pickle",
    "compare_formats",
    "compare_keys",
    "load_elsewhere",
    "make_sample",
    "restore_model",
    "resume_training",
    "round_trip",
    "save_into",
    "save_view",
    "write_file",
    "write_parameters",
    "write_weights",
]
