import pytest

from playground.lessons.parameters.state_dict import CHILDREN, Kind, StateDict
from tests.answers import assert_answer

KEYS = [name for _, names in CHILDREN for name in names]


@pytest.mark.parametrize(
    ("kind", "is_kept", "moves"),
    [
        (Kind.NOT_PERSISTENT, False, True),
        (Kind.BUFFER, True, True),
        (Kind.PARAMETER, True, True),
        (Kind.ATTRIBUTE, False, False),
    ],
)
def test_parameters_and_persistent_buffers_are_kept(kind, is_kept, moves):
    step, prediction = StateDict(kind=kind), "yes" if is_kept else "no"

    answer = assert_answer(step, prediction=prediction, moves=moves, is_silent=not moves)
    printed = [line.partition(" (")[0] for line in answer.printed.splitlines()]
    assert printed == (["note"] if is_kept else []) + KEYS


def test_the_dict_shares_memory_with_the_network():
    assert_answer(StateDict(kind=Kind.BUFFER), is_live=True, parameters_kept=6, buffers_kept=4)
