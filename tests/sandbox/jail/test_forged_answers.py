import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.sandbox.jail import StoppedBecause
from playground.sandbox.jail.answer import read_answer
from playground.sandbox.limits import LIMITS
from tests.sandbox.conftest import PATIENT
from tests.sandbox.jail.conftest import run

SHORT = replace(LIMITS, wall_seconds=2.0)  # far more than it takes to write a first part
VALID = '{"value": {"x": 1}}'
NOT_ONE_OBJECT = {
    "nothing": "",
    "two objects": VALID + VALID,
    "something after it": VALID + " x",
    "deep lists": "[" * 100_000,
    "deep lists that end": '{"value": {"x": ' + "[" * 30 + "]" * 30 + "}}",
    "a number without end": '{"value": {"x": ' + "9" * 200_000 + "}}",
    "not a number": '{"value": {"x": NaN}}',
    "infinity": '{"value": {"x": Infinity}}',
    "a number that becomes infinite": '{"value": {"x": 1e309}}',
    "another key": '{"value": {"x": 1}, "ok": true}',
    "no object": '{"value": [1]}',
    "a text": '"value"',
    "an unknown key": '{"html": "<b>"}',
    "half": VALID[:-1],
    "a first part that is no object": '{"first": 1}\n' + VALID,
    "a first part with another key": '{"first": {}, "ok": true}\n' + VALID,
    "a first part without an end": '{"first": {"x": 1}} ' + VALID,
}
NOT_A_SECOND_PART = {
    "nothing": "",
    "another first part": '{"first": {"x": 2}}\n' + VALID,
    "two objects": VALID + "\n" + VALID,
    "not a number": '{"value": {"x": NaN}}',
    "half": VALID[:-1],
}
FIRST = '{"first": {"x": 0}}\n'
FORGED = [
    *((written, None) for written in NOT_ONE_OBJECT.values()),
    *((FIRST + written, {"x": 0}) for written in NOT_A_SECOND_PART.values()),
]


def forge(jail, written):
    return run(jail, f"os.write(3, {written.encode()!r})\nos._exit(0)")


@pytest.mark.parametrize(
    ("written", "first", "value"),
    [
        (VALID, None, {"x": 1}),  # the author's own answer
        (FIRST + VALID, {"x": 0}, {"x": 1}),
        ('{"value": {"x": "\\ud800<script>"}}', None, {"x": "?<script>"}),
    ],
)
def test_a_valid_forgery_is_read_as_text(jail, written, first, value):
    answer = forge(jail, written)
    assert (answer.first, answer.value, answer.stopped_because) == (first, value, None)


@pytest.mark.parametrize(
    ("written", "first"),
    FORGED,
    ids=[*NOT_ONE_OBJECT, *map("second: {}".format, NOT_A_SECOND_PART)],
)
def test_what_is_not_one_answer_is_none_but_for_its_first_part(jail, written, first):
    answer = forge(jail, written)
    assert (answer.first, answer.value) == (first, None)
    assert answer.stopped_because is StoppedBecause.NO_RESULT


@pytest.mark.parametrize(
    ("then", "because", "limits"),
    [
        ("time.sleep(3600)", StoppedBecause.WALL, SHORT),
        ("ctypes.string_at(0)", StoppedBecause.CRASHED, PATIENT),
        ("os._exit(7)", StoppedBecause.NO_RESULT, PATIENT),
        ("while True: os.write(1, b' ' * 65536)", StoppedBecause.OUTPUT, PATIENT),
    ],
)
def test_what_ends_a_run_after_its_first_part_leaves_that(jail, then, because, limits):
    answer = run(jail, f"os.write(3, {FIRST.encode()!r})\n{then}", limits=limits)
    assert answer.stopped_because is because
    assert answer.first == (None if because is StoppedBecause.OUTPUT else {"x": 0})


def test_a_failure_and_output_come_without_what_a_terminal_obeys(jail):
    answer = run(jail, "print('\\x1b[31mred\\x1b[0m')\nraise ValueError('\\x1b[2J\\u202etxet')")
    assert answer.output == "red\n"
    assert answer.failure == "ValueError: \ufffdtxet"


NUMBERS = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(text):
    answer = read_answer(text, LIMITS)
    assert answer is None or isinstance(answer, dict)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_json_can_say_comes_back(value):
    deep = replace(LIMITS, result_depth=50)
    assert read_answer(json.dumps(value).encode(), deep) == value


@given(st.integers(1, 40))
def test_depth_is_counted(depth):
    text = b'{"x":' * depth + b"1" + b"}" * depth
    assert (read_answer(text, LIMITS) is not None) == (depth <= LIMITS.result_depth)
