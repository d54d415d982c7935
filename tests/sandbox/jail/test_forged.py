"""A child that writes its answer itself can cheat its author, and nobody else."""

import pytest

from playground.sandbox.jail import Jail, StoppedBecause

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
}


def forge(jail: Jail, written: str):
    source = f"os.write(3, {written.encode()!r})\nos._exit(0)"
    return jail.run("raw", {"source": source, "names": {}})


def test_a_valid_forgery_is_the_authors_own_answer(jail: Jail) -> None:
    assert forge(jail, VALID).value == {"x": 1}


@pytest.mark.parametrize("name", NOT_ONE_OBJECT)
def test_what_is_not_one_answer_is_none(jail: Jail, name: str) -> None:
    answer = forge(jail, NOT_ONE_OBJECT[name])

    assert answer.value is None
    assert answer.stopped_because is StoppedBecause.NO_RESULT


def test_an_answer_of_a_mebibyte_is_not_read(jail: Jail) -> None:
    source = "while True: os.write(3, b' ' * 65536)"

    answer = jail.run("raw", {"source": source, "names": {}})

    assert answer.stopped_because is StoppedBecause.RESULT_TOO_LARGE


def test_lone_surrogates_are_replaced_and_markup_stays_text(jail: Jail) -> None:
    answer = forge(jail, '{"value": {"x": "\\ud800<script>"}}')

    assert answer.value == {"x": "?<script>"}


def test_a_failure_and_output_come_without_what_a_terminal_obeys(jail: Jail) -> None:
    source = "print('\\x1b[31mred\\x1b[0m')\nraise ValueError('\\x1b[2J\\u202etxet')"

    answer = jail.run("raw", {"source": source, "names": {}})

    assert answer.output == "red\n"
    assert answer.failure == "ValueError: txet"
