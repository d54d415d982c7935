"""The odd files of the safety sheet, row by row, each with the verdict that it must get."""

from tests.checkpoints.odd_kinds import other_files
from tests.checkpoints.odd_pickles import code_files, pickle_files
from tests.checkpoints.odd_safetensors import safetensors_files
from tests.checkpoints.odd_tensors import tensor_files
from tests.checkpoints.odd_zips import damaged_files, zip_files

_GROUPS = (
    code_files,
    pickle_files,
    tensor_files,
    zip_files,
    damaged_files,
    other_files,
    safetensors_files,
)
ODD_FILES = tuple(each for group in _GROUPS for each in group())
