"""A run holds no more memory than its limit, whichever way it takes it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from playground.sandbox.jail import Jail, StoppedBecause
from playground.sandbox.jail.request import ALL_LAYERS, Layer, Request
from playground.sandbox.jail.zygote_process import ZygoteProcess
from playground.sandbox.limits import LIMITS
from playground.units import MEBIBYTE
from tests.sandbox.jail import memory_attacks
from tests.sandbox.jail.memory_attacks import program
from tests.sandbox.jail.test_attacks import assert_next_run_works, run

PATIENT = replace(LIMITS, cpu_seconds=30, cpu_hard_seconds=31, wall_seconds=60.0)
NAP = replace(PATIENT, wall_seconds=1.0)
FILE = b"x" * (8 * MEBIBYTE)
WITHOUT_SECCOMP = tuple(layer for layer in ALL_LAYERS if layer is not Layer.SECCOMP)


@pytest.fixture(scope="module")
def zygote_process(needs_kernel: None) -> Iterator[ZygoteProcess]:
    """A zygote that has more memory of its own than a run may take."""
    made = ZygoteProcess(
        {
            "hold": "tests.sandbox.jail.memory_tasks:hold",
            "copy": "tests.sandbox.jail.memory_tasks:copy",
        }
    )
    made.wait_until_ready()
    yield made
    made.end()


@pytest.mark.parametrize("name", memory_attacks.REFUSED)
def test_no_way_to_take_memory_goes_past_the_limit(jail: Jail, name: str) -> None:
    source = program(memory_attacks.REFUSED[name])

    answer = jail.run("raw", {"source": source, "names": {}}, data=FILE, limits=PATIENT)

    assert answer.value is not None, answer
    assert answer.value["result"] * MEBIBYTE <= LIMITS.memory_bytes
    assert answer.output.startswith("[Errno ")  # it was refused, and has not just ended
    assert_next_run_works(jail)


@pytest.mark.parametrize("name", memory_attacks.GROWING_STACK)
def test_a_stack_in_pieces_does_not_grow(jail: Jail, name: str) -> None:
    answer = run(jail, program(memory_attacks.GROWING_STACK[name]), limits=PATIENT)

    assert (answer.stopped_because, answer.signal) == (StoppedBecause.CRASHED, 11)
    assert_next_run_works(jail)


def test_the_stack_has_its_size_from_the_beginning(jail: Jail) -> None:
    mib = LIMITS.stack_bytes // MEBIBYTE - 1
    source = f"held(stack_end - {mib} * MIB, {mib - 1})"

    assert run(jail, program(source), limits=PATIENT).value == {"result": mib - 1}


def test_page_tables_count_as_memory(jail: Jail) -> None:
    answer = run(jail, program(memory_attacks.PAGE_TABLES), limits=PATIENT)

    assert answer.stopped_because is StoppedBecause.MEMORY
    assert_next_run_works(jail)


def test_a_run_that_holds_too_much_is_ended_even_without_a_filter(
    zygote_process: ZygoteProcess,
) -> None:
    request = Request(task="hold", limits=PATIENT, layers=WITHOUT_SECCOMP)

    answer = zygote_process.run(request, b'{"mib": 400}', b"")

    assert (answer.stopped_because, answer.signal) == (StoppedBecause.MEMORY, 9)
    assert answer.elapsed_seconds < PATIENT.wall_seconds


def test_a_run_within_its_limit_is_left_alone(zygote_process: ZygoteProcess) -> None:
    request = Request(task="hold", limits=NAP, layers=WITHOUT_SECCOMP)

    assert zygote_process.run(request, b'{"mib": 240}', b"").stopped_because is StoppedBecause.WALL


def test_copies_of_what_the_zygote_has_are_not_memory_of_the_run(
    zygote_process: ZygoteProcess,
) -> None:
    answer = zygote_process.run(Request(task="copy", limits=NAP), b"{}", b"")

    assert answer.stopped_because is StoppedBecause.WALL
