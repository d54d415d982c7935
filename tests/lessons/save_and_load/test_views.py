"""Sizes of files in closed form: the storage that is written, and less than 2 KiB around it."""

import itertools

from playground.lessons.save_and_load.views import Copying, Part, Views
from tests.answers import assert_answer

LENGTH = 20_000
SHOWN = {Part.FIRST_TWO: 2, Part.EVERY_THOUSANDTH: 20, Part.COMPUTED: 2, Part.EXPANDED: 5000}
OWN = {Part.COMPUTED: 2, Part.EXPANDED: 1}  # elements in a storage of its own


def stored(part: Part, copying: Copying) -> int:
    """Return the number of elements in the file."""
    lies_side_by_side = part in (Part.FIRST_TWO, Part.COMPUTED)
    if copying is Copying.CLONE or (copying is Copying.CONTIGUOUS and not lies_side_by_side):
        return SHOWN[part]
    return OWN.get(part, LENGTH)


def test_the_file_is_as_large_as_the_storage():
    for part, copying in itertools.product(Part, Copying):
        step = Views(part=part, copying=copying, length=LENGTH)
        is_whole = stored(part, copying) == LENGTH
        answer = assert_answer(step, is_silent=is_whole)

        assert 0 < answer.data.file - 4 * stored(part, copying) < 2048, (part, copying)
        assert (answer.prediction == "whole") is is_whole
