import pytest

from playground.lessons.save_and_load.folder import Folder, Place
from tests.answers import assert_answer


@pytest.mark.parametrize(
    ("place", "error", "words", "files"),
    [
        (Place.MISSING, "RuntimeError", "Parent directory data does not exist.", 0),
        (Place.MADE, "", "", 1),
        (Place.OTHER_NAME, "FileNotFoundError", "No such file or directory: 'data/X'", 1),
        (Place.AGAIN, "", "", 1),
        (Place.CUT, "RuntimeError", "failed finding central directory", 1),
    ],
)
def test_each_way_to_lose_a_file(place, error, words, files):
    step = Folder(place=place)
    stopped_at = step.asked_line() if error else None

    answer = assert_answer(step, error=error, says=words, files=files, stopped_at=stopped_at)
    if not error:
        first = 10 if place is Place.AGAIN else 0
        assert answer.printed == f"tensor({[*range(first, first + 4)]})\n"


def test_the_folder_is_made_by_whole_lines():
    assert_answer(Folder(), fix=("", 'import os\nos.makedirs("data", exist_ok=True)'))
    assert_answer(Folder(is_fixed=True), printed="tensor([0, 1, 2, 3])\n")
    assert Folder().files().downloads == ()
    assert Folder(is_fixed=True).files().downloads == ("data/x",)
