"""What attackers try, each judged by its effect: the operating system's layers hold alone."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from playground.sandbox.jail import Jail, JailAnswer, StoppedBecause
from playground.sandbox.limits import LIMITS, Limits
from tests.sandbox.conftest import PATIENT
from tests.sandbox.jail import attacks
from tests.sandbox.jail.conftest import SECRET, World

COMPUTING = replace(PATIENT, cpu_seconds=1, cpu_hard_seconds=2)
WAITING = replace(LIMITS, wall_seconds=0.3)


def run(
    jail: Jail, source: str, world: World | None = None, limits: Limits = PATIENT
) -> JailAnswer:
    names = world.names if world else {}
    return jail.run("raw", {"source": source, "names": dict(names)}, limits=limits)


def assert_next_run_works(jail: Jail) -> None:
    assert run(jail, "result = torch.arange(5).sum().item()").value == {"result": 10}


@pytest.mark.parametrize("name", attacks.REFUSED)
def test_what_is_forbidden_is_refused(jail: Jail, world: World, name: str) -> None:
    source, refusals = attacks.REFUSED[name]

    answer = run(jail, source, world)

    assert answer.stopped_because is StoppedBecause.FAILED
    assert answer.failure.startswith(refusals)
    assert SECRET not in repr(answer)
    world.assert_untouched()
    assert_next_run_works(jail)


@pytest.mark.parametrize("name", attacks.ANSWERED)
def test_what_is_forbidden_has_no_effect(jail: Jail, world: World, name: str) -> None:
    source, result = attacks.ANSWERED[name]

    answer = run(jail, source, world)

    assert answer.value == {"result": result}
    world.assert_untouched()
    assert_next_run_works(jail)


@pytest.mark.parametrize("name", attacks.OUT_OF_MEMORY)
def test_memory_ends_at_its_limit(jail: Jail, name: str) -> None:
    answer = run(jail, attacks.OUT_OF_MEMORY[name], limits=COMPUTING)

    assert answer.stopped_because is StoppedBecause.MEMORY
    assert_next_run_works(jail)


def test_computing_ends_at_its_limit(jail: Jail) -> None:
    with ThreadPoolExecutor(LIMITS.children) as threads:  # together, since each takes a second
        answers = list(
            threads.map(
                lambda source: run(jail, source, None, COMPUTING), attacks.COMPUTING.values()
            )
        )

    ended = dict(
        zip(attacks.COMPUTING, (answer.stopped_because for answer in answers), strict=True)
    )
    assert ended == dict.fromkeys(attacks.COMPUTING, StoppedBecause.CPU)
    assert all(answer.cpu_seconds < COMPUTING.cpu_hard_seconds for answer in answers)
    assert_next_run_works(jail)


def test_computing_that_ignores_the_signal_is_killed(jail: Jail) -> None:
    source = "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"

    answer = run(jail, source, limits=COMPUTING)

    assert answer.stopped_because is StoppedBecause.CPU
    assert answer.signal == 9
    assert answer.cpu_seconds < COMPUTING.cpu_hard_seconds + 0.5


def test_a_recursion_limit_that_was_raised_harms_the_run_alone(jail: Jail) -> None:
    source = "sys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1) + 1\nf(0)"

    answer = run(jail, source, limits=COMPUTING)

    assert answer.stopped_because in (
        StoppedBecause.MEMORY,
        StoppedBecause.CRASHED,
        StoppedBecause.CPU,
    )
    assert_next_run_works(jail)


@pytest.mark.parametrize("name", attacks.WAITING)
def test_waiting_ends_at_its_limit(jail: Jail, name: str) -> None:
    answer = run(jail, attacks.WAITING[name], limits=WAITING)

    assert answer.stopped_because is StoppedBecause.WALL
    assert answer.signal == 9
    assert_next_run_works(jail)


@pytest.mark.parametrize(
    "source", ["while True: os.write(1, b'x' * 65536)", "while True: print('x' * 1000)"]
)
def test_output_ends_at_its_limit_and_is_kept_so_far(jail: Jail, source: str) -> None:
    answer = run(jail, source)

    assert answer.stopped_because is StoppedBecause.OUTPUT
    assert len(answer.output) == LIMITS.output_bytes
    assert_next_run_works(jail)


def test_an_answer_that_is_too_long_is_not_read(jail: Jail) -> None:
    answer = run(jail, "result = 'x' * 10_000_000")

    assert answer.stopped_because is StoppedBecause.RESULT_TOO_LARGE
    assert answer.value is None


@pytest.mark.parametrize("name", attacks.CRASHING)
def test_a_crash_ends_the_child_alone(jail: Jail, name: str) -> None:
    answer = run(jail, attacks.CRASHING[name])

    assert answer.stopped_because is StoppedBecause.CRASHED
    assert answer.signal in (6, 11)
    assert_next_run_works(jail)


@pytest.mark.parametrize(
    "source", ["os._exit(7)", "os._exit(0)", "os.close(3)", "os.close(1); 1/0"]
)
def test_an_early_end_is_no_result(jail: Jail, source: str) -> None:
    answer = run(jail, source)

    assert answer.value is None
    assert answer.stopped_because in (StoppedBecause.NO_RESULT, StoppedBecause.FAILED)
    assert_next_run_works(jail)


def test_a_hostile_third_leaves_the_others_their_results(jail: Jail) -> None:
    hostile = ["ctypes.string_at(0)", "os.kill(-1, 9)", "while True: os.write(1, b'x' * 65536)"]
    sources = [*hostile, *(f"result = {number} ** 2" for number in range(9))]

    with ThreadPoolExecutor(len(sources)) as threads:
        answers = list(threads.map(lambda source: run(jail, source), sources))

    assert all(answer.value is None for answer in answers[:3])
    assert [answer.value for answer in answers[3:]] == [{"result": n**2} for n in range(9)]


def test_what_was_printed_before_the_end_is_kept(jail: Jail) -> None:
    answer = run(jail, "print('before')\nwhile True: pass", limits=COMPUTING)

    assert answer.output == "before\n"
