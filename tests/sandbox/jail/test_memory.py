"""Programs that try to hold memory which the limit on data does not count.

Each one counts in ``result`` the MiB that it has written and still holds, or the MiB of page tables
that it made the kernel keep. A refusal ends it early.
"""

from dataclasses import replace
from pathlib import Path
from textwrap import indent

import pytest

from playground.sandbox.jail import StoppedBecause
from playground.sandbox.jail.request import ALL_LAYERS, Layer, Request
from playground.sandbox.limits import LIMITS
from playground.units import MEBIBYTE
from tests.sandbox.jail.attacks import programs
from tests.sandbox.jail.conftest import assert_next_run_works, run, started_zygote

PATIENT = replace(LIMITS, cpu_seconds=30, cpu_hard_seconds=31, wall_seconds=60.0)
NAP = replace(PATIENT, wall_seconds=1.0)
FILE = b"x" * (8 * MEBIBYTE)
WITHOUT_SECCOMP = tuple(layer for layer in ALL_LAYERS if layer is not Layer.SECCOMP)
TOOLS = Path(__file__).with_name("programs").joinpath("memory_tools.txt").read_text()
HOLDING = programs("holding_memory")
GROWING_STACK = programs("growing_stack")  # its lowest page becomes a stack of its own, repeatedly
# one page in each GiB: the kernel keeps two page tables for it, which no limit counts
PAGE_TABLES = """
for gib in range(60_000):
    page = tried(libc.mmap, (16 + gib) << 30, PAGE, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0)
    ctypes.memset(page, 1, 1)
time.sleep(100)
"""


def program(body):
    lines = indent(body.strip(), "    ")
    return f"{TOOLS}\ntry:\n{lines}\nexcept OSError as error:\n    print(error)\n"


@pytest.fixture(scope="module")
def zygote(needs_kernel):
    """A zygote that has more memory of its own than a run may take."""
    with started_zygote(hold="memory_tasks:hold", copy="memory_tasks:copy") as made:
        yield made


@pytest.mark.parametrize("name", HOLDING)
def test_no_way_to_take_memory_goes_past_the_limit(jail, name):
    answer = run(jail, program(HOLDING[name]), data=FILE, limits=PATIENT)

    assert answer.value is not None, answer
    assert answer.value["result"] * MEBIBYTE <= LIMITS.memory_bytes
    assert answer.output.startswith("[Errno ")  # it was refused, and has not just ended
    assert_next_run_works(jail)


@pytest.mark.parametrize("name", GROWING_STACK)
def test_a_stack_in_pieces_does_not_grow(jail, name):
    answer = run(jail, program(GROWING_STACK[name]), limits=PATIENT)
    assert (answer.stopped_because, answer.signal) == (StoppedBecause.CRASHED, 11)
    assert_next_run_works(jail)


def test_the_stack_has_its_size_from_the_beginning(jail):
    mib = LIMITS.stack_bytes // MEBIBYTE - 1
    source = f"held(stack_end - {mib} * MIB, {mib - 1})"
    assert run(jail, program(source), limits=PATIENT).value == {"result": mib - 1}


def test_page_tables_count_as_memory(jail):
    answer = run(jail, program(PAGE_TABLES), limits=PATIENT)
    assert answer.stopped_because is StoppedBecause.MEMORY
    assert_next_run_works(jail)


@pytest.mark.parametrize(
    ("task", "arguments", "limits", "ended"),
    [
        ("hold", b'{"mib": 400}', PATIENT, (StoppedBecause.MEMORY, 9)),  # even without a filter
        ("hold", b'{"mib": 240}', NAP, (StoppedBecause.WALL, 9)),
        ("copy", b"{}", NAP, (StoppedBecause.WALL, 9)),  # copies of what the zygote has
    ],
)
def test_a_run_is_ended_if_it_holds_too_much_of_its_own(zygote, task, arguments, limits, ended):
    layers = ALL_LAYERS if task == "copy" else WITHOUT_SECCOMP
    answer = zygote.run(Request(task=task, limits=limits, layers=layers), arguments, b"")

    assert (answer.stopped_because, answer.signal) == ended
    assert ended[0] is StoppedBecause.WALL or answer.elapsed_seconds < limits.wall_seconds
