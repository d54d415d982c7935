"""A child that writes its answer itself can cheat its author, and nobody else."""

from dataclasses import replace

import pytest

from playground.sandbox.jail import Jail, StoppedBecause
from playground.sandbox.limits import LIMITS
from tests.sandbox.conftest import PATIENT

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
    "a number that becomes infinite": '{"value": {"x": 1e999}}',
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


def forge(jail: Jail, written: str):
    source = f"os.write(3, {written.encode()!r})\nos._exit(0)"
    return jail.run("raw", {"source": source, "names": {}}, limits=PATIENT)


def test_a_valid_forgery_is_the_authors_own_answer(jail: Jail) -> None:
    assert forge(jail, VALID).value == {"x": 1}


@pytest.mark.parametrize("name", NOT_ONE_OBJECT)
def test_what_is_not_one_answer_is_none(jail: Jail, name: str) -> None:
    answer = forge(jail, NOT_ONE_OBJECT[name])

    assert answer.value is None
    assert answer.stopped_because is StoppedBecause.NO_RESULT


def test_an_answer_may_come_in_two_parts(jail: Jail) -> None:
    answer = forge(jail, '{"first": {"x": 0}}\n' + VALID)

    assert (answer.first, answer.value, answer.stopped_because) == ({"x": 0}, {"x": 1}, None)


@pytest.mark.parametrize("name", NOT_A_SECOND_PART)
def test_the_first_part_stands_without_a_second(jail: Jail, name: str) -> None:
    answer = forge(jail, '{"first": {"x": 0}}\n' + NOT_A_SECOND_PART[name])

    assert (answer.first, answer.value) == ({"x": 0}, None)
    assert answer.stopped_because is StoppedBecause.NO_RESULT


@pytest.mark.parametrize(
    ("then", "because"),
    [
        ("time.sleep(3600)", StoppedBecause.WALL),
        ("ctypes.string_at(0)", StoppedBecause.CRASHED),
        ("os._exit(7)", StoppedBecause.NO_RESULT),
        ("while True: os.write(1, b' ' * 65536)", StoppedBecause.OUTPUT),
    ],
)
def test_what_ends_a_run_after_its_first_part_leaves_that(
    jail: Jail, then: str, because: StoppedBecause
) -> None:
    source = f'os.write(3, b\'{{"first": {{"x": 0}}}}\\n\')\n{then}'

    limits = SHORT if because is StoppedBecause.WALL else PATIENT
    answer = jail.run("raw", {"source": source, "names": {}}, limits=limits)

    assert answer.stopped_because is because
    assert answer.first == (None if because is StoppedBecause.OUTPUT else {"x": 0})


def test_an_answer_of_a_mebibyte_is_not_read(jail: Jail) -> None:
    source = "while True: os.write(3, b' ' * 65536)"

    answer = jail.run("raw", {"source": source, "names": {}}, limits=PATIENT)

    assert answer.stopped_because is StoppedBecause.RESULT_TOO_LARGE


def test_lone_surrogates_are_replaced_and_markup_stays_text(jail: Jail) -> None:
    answer = forge(jail, '{"value": {"x": "\\ud800<script>"}}')

    assert answer.value == {"x": "?<script>"}


def test_a_failure_and_output_come_without_what_a_terminal_obeys(jail: Jail) -> None:
    source = "print('\\x1b[31mred\\x1b[0m')\nraise ValueError('\\x1b[2J\\u202etxet')"

    answer = jail.run("raw", {"source": source, "names": {}}, limits=PATIENT)

    assert answer.output == "red\n"
    assert answer.failure == "ValueError: \ufffdtxet"
