import itertools

import pytest

from playground.lessons.tensors.fix import Fix, Remedy
from tests.answers import answer_once

DEVICES = ("cpu", "cuda:0", "cuda:1")
PAIRS = list(itertools.product(DEVICES, DEVICES))
X_BYTES, Y_BYTES = 1000 * 1000 * 4, 1000 * 4
SPACE = "\u202f"


@pytest.mark.parametrize("remedy", Remedy)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_the_remedy_decides_where_the_sum_is(left, right, remedy):
    answer = answer_once(Fix(left=left, right=right, remedy=remedy))

    place = {
        Remedy.MOVE_RIGHT: left,
        Remedy.MOVE_LEFT: right,
        Remedy.TO_CPU: "cpu",
        Remedy.CUDA_1: "cuda:1" if right == "cuda:1" else None,
    }[remedy]
    assert answer.facts["result_device"] == place
    assert answer.outcome.ok == (place is not None)


@pytest.mark.parametrize(
    ("remedy", "copied", "copied_bytes"),
    [
        (Remedy.MOVE_RIGHT, "Y", Y_BYTES),
        (Remedy.MOVE_LEFT, "X", X_BYTES),
        (Remedy.TO_CPU, "X Y", X_BYTES + Y_BYTES),
    ],
)
def test_a_remedy_copies_what_it_moves(remedy, copied, copied_bytes):
    answer = answer_once(Fix(left="cuda:0", right="cuda:1", remedy=remedy))

    assert answer.facts["copied"] == copied
    assert int(str(answer.facts["copied_bytes"]).replace(SPACE, "")) == copied_bytes


def test_what_is_there_already_is_not_copied():
    answer = answer_once(Fix(left="cpu", right="cpu", remedy=Remedy.TO_CPU))

    assert (answer.facts["copied"], answer.facts["copied_bytes"]) == (None, "0")


def test_a_copy_stands_beside_its_original_with_its_bytes():
    drawn = answer_once(Fix(left="cuda:0", right="cpu", remedy=Remedy.MOVE_RIGHT)).data

    places = {each.label: each.place for each in drawn.items}
    assert places == {"X": "cuda:0", "Y": "cpu", "Y′": "cuda:0", "Z": "cuda:0"}
    assert drawn.copies == (("Y", "Y′", f"4{SPACE}000 B"),)
    assert drawn.inputs == ("X", "Y′")
