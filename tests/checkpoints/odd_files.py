"""The odd files of the safety sheet, row by row, each with the verdict that it must get."""

from tests.checkpoints.odd_kinds import OTHERS
from tests.checkpoints.odd_pickles import PICKLES, TENSORS
from tests.checkpoints.odd_safetensors import SAFETENSORS
from tests.checkpoints.odd_zips import ZIPS

ODD_FILES = tuple(
    (title, verdict, made)
    for group in (PICKLES, TENSORS, ZIPS, OTHERS, SAFETENSORS)
    for verdict, files in group.items()
    for title, made in files.items()
)
