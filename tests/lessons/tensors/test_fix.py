import pytest

from playground.lessons.tensors.fix import Fix, Remedy
from tests.answers import answer_once, assert_answer

DEVICES = ("cpu", "cuda:0", "cuda:1")
X_BYTES, Y_BYTES = 1000 * 1000 * 4, 1000 * 4
SPACE = "\u202f"


@pytest.mark.parametrize("remedy", Remedy)
@pytest.mark.parametrize("left", DEVICES)
@pytest.mark.parametrize("right", DEVICES)
def test_the_remedy_decides_where_the_sum_is(left, right, remedy):
    place = {
        Remedy.MOVE_RIGHT: left,
        Remedy.MOVE_LEFT: right,
        Remedy.TO_CPU: "cpu",
        Remedy.CUDA_1: "cuda:1" if right == "cuda:1" else None,
    }[remedy]

    step = Fix(left=left, right=right, remedy=remedy)
    assert_answer(step, result_device=place, ok=place is not None)


@pytest.mark.parametrize(
    ("left", "right", "remedy", "copied", "copied_bytes"),
    [
        ("cuda:0", "cuda:1", Remedy.MOVE_RIGHT, "Y", Y_BYTES),
        ("cuda:0", "cuda:1", Remedy.MOVE_LEFT, "X", X_BYTES),
        ("cuda:0", "cuda:1", Remedy.TO_CPU, "X Y", X_BYTES + Y_BYTES),
        ("cpu", "cpu", Remedy.TO_CPU, None, 0),  # what is there already
    ],
)
def test_a_remedy_copies_what_it_moves(left, right, remedy, copied, copied_bytes):
    answer = assert_answer(Fix(left=left, right=right, remedy=remedy), copied=copied)
    assert int(answer.facts["copied_bytes"].replace(SPACE, "")) == copied_bytes


def test_a_copy_stands_beside_its_original_with_its_bytes():
    drawn = answer_once(Fix(left="cuda:0", right="cpu", remedy=Remedy.MOVE_RIGHT)).data

    places = {each.label: each.place for each in drawn.items}
    assert places == {"X": "cuda:0", "Y": "cpu", "Y′": "cuda:0", "Z": "cuda:0"}
    assert drawn.copies == (("Y", "Y′", f"4{SPACE}000 B"),)
    assert drawn.inputs == ("X", "Y′")
