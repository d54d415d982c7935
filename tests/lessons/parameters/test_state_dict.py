import pytest

from playground.lessons.parameters.state_dict import CHILDREN, Kind, StateDict
from tests.answers import answer_once

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
    answer = answer_once(StateDict(kind=kind))

    assert answer.prediction == ("yes" if is_kept else "no")
    assert answer.facts["moves"] is moves
    printed = [line.partition(" (")[0] for line in answer.printed.splitlines()]
    assert printed == (["note"] if is_kept else []) + KEYS
    assert answer.is_silent_failure == (not moves)


def test_the_dict_shares_memory_with_the_network():
    facts = answer_once(StateDict(kind=Kind.BUFFER)).facts

    assert facts["is_live"] is True
    assert (facts["parameters_kept"], facts["buffers_kept"]) == (6, 4)
