from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from playground.sandbox.jail import StoppedBecause
from playground.sandbox.limits import LIMITS
from tests.sandbox.conftest import PATIENT, UNHURRIED
from tests.sandbox.jail import attacks
from tests.sandbox.jail.conftest import SECRET, assert_next_run_works, run

COMPUTING = replace(PATIENT, cpu_seconds=1, cpu_hard_seconds=2)
WAITING = replace(LIMITS, wall_seconds=0.3)


@pytest.mark.parametrize("name", attacks.REFUSED)
def test_what_is_forbidden_is_refused(jail, world, name):
    source, refusals = attacks.REFUSED[name]
    answer = run(jail, source, world.names)

    assert answer.stopped_because is StoppedBecause.FAILED
    assert answer.failure.startswith(refusals)
    assert SECRET not in repr(answer)
    world.assert_untouched()
    assert_next_run_works(jail)


@pytest.mark.parametrize("name", attacks.ANSWERED)
def test_what_is_forbidden_has_no_effect(jail, world, name):
    source, result = attacks.ANSWERED[name]
    answer = run(jail, source, world.names)

    assert answer.value == {"result": result}
    world.assert_untouched()
    assert_next_run_works(jail)


def test_computing_ends_at_its_limit(jail):
    with ThreadPoolExecutor(LIMITS.children) as threads:  # together, since each takes a second
        running = [
            threads.submit(run, jail, source, limits=COMPUTING)
            for source in attacks.COMPUTING.values()
        ]
    answers = [each.result() for each in running]

    ended = dict(zip(attacks.COMPUTING, (each.stopped_because for each in answers), strict=True))
    assert ended == dict.fromkeys(attacks.COMPUTING, StoppedBecause.CPU)
    assert all(answer.cpu_seconds < COMPUTING.cpu_hard_seconds for answer in answers)
    assert_next_run_works(jail)


def test_computing_that_ignores_the_signal_is_killed(jail):
    source = "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    answer = run(jail, source, limits=COMPUTING)

    assert (answer.stopped_because, answer.signal) == (StoppedBecause.CPU, 9)
    assert answer.cpu_seconds < COMPUTING.cpu_hard_seconds + 0.5


RECURSION = "sys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1) + 1\nf(0)"
EARLY_ENDS = ("os._exit(7)", "os._exit(0)", "os.close(3)", "os.close(1); 1/0")
ENDS = [
    *((each, COMPUTING, "memory", None) for each in attacks.OUT_OF_MEMORY.values()),
    *((each, WAITING, "wall", (9,)) for each in attacks.WAITING.values()),
    *((each, PATIENT, "crashed", (6, 11)) for each in attacks.CRASHING.values()),
    *((each, PATIENT, "no_result failed", None) for each in EARLY_ENDS),
    (RECURSION, UNHURRIED, "memory", None),
    ("result = 'x' * 10_000_000", PATIENT, "result_too_large", None),
    ("while True: os.write(3, b' ' * 65536)", PATIENT, "result_too_large", None),
]


@pytest.mark.parametrize(("source", "limits", "because", "signals"), ENDS)
def test_a_run_ends_at_its_limit_and_harms_no_other(jail, source, limits, because, signals):
    answer = run(jail, source, limits=limits)

    assert answer.value is None
    assert answer.stopped_because in because.split()
    assert signals is None or answer.signal in signals
    assert_next_run_works(jail)


@pytest.mark.parametrize(
    "source", ["while True: os.write(1, b'x' * 65536)", "while True: print('x' * 1000)"]
)
def test_output_ends_at_its_limit_and_is_kept_so_far(jail, source):
    answer = run(jail, source)

    assert answer.stopped_because is StoppedBecause.OUTPUT
    assert len(answer.output) == LIMITS.output_bytes
    assert_next_run_works(jail)


def test_a_hostile_third_leaves_the_others_their_results(jail):
    hostile = ["ctypes.string_at(0)", "os.kill(-1, 9)", "while True: os.write(1, b'x' * 65536)"]
    sources = [*hostile, *(f"result = {number} ** 2" for number in range(9))]
    with ThreadPoolExecutor(len(sources)) as threads:
        answers = list(threads.map(lambda source: run(jail, source), sources))

    assert all(answer.value is None for answer in answers[:3])
    assert [answer.value for answer in answers[3:]] == [{"result": n**2} for n in range(9)]
