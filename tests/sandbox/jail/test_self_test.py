"""The preflight notices what does not hold, and opens a jail without layers only when told to."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from playground.sandbox.jail import Jail, JailAnswer, StoppedBecause, self_test
from playground.sandbox.jail.request import ALL_LAYERS, Layer
from playground.sandbox.jail.self_test import SelfTest, SelfTestResult, run_self_test
from playground.sandbox.jail.zygote_process import ZygoteProcess
from playground.sandbox.limits import Limits

HALF_A_SECOND = Limits(wall_seconds=0.5, cpu_seconds=0, cpu_hard_seconds=0)


@pytest.fixture(scope="module")
def bare(needs_kernel: None) -> Iterator[ZygoteProcess]:
    """A zygote on what looks like a kernel without Landlock and seccomp."""
    zygote_process = ZygoteProcess({"self_test": "tests.sandbox.jail.no_layers_task:self_test"})
    zygote_process.wait_until_ready()
    yield zygote_process
    zygote_process.end()


def zygote_process_of(jail: Jail) -> ZygoteProcess:
    assert isinstance(jail._runner, ZygoteProcess)
    return jail._runner


def without(*missing: Layer) -> tuple[Layer, ...]:
    return tuple(layer for layer in ALL_LAYERS if layer not in missing)


def test_all_layers_pass(jail: Jail) -> None:
    assert list(SelfTest(zygote_process_of(jail), ALL_LAYERS).failures()) == []


def test_the_self_test_trains_every_kind_of_layer(jail: Jail) -> None:
    answer = SelfTest(zygote_process_of(jail), ALL_LAYERS).act("compute")

    assert answer.value is not None
    # a linear layer and a convolution without bias, an LSTM, and attention with its two projections
    assert answer.value["gradients"] == 1 + 1 + 4 + 2 * 2
    assert answer.value["kernel"] == 1 - 0.25  # Adam's first step is the learning rate


def test_without_seccomp_the_self_test_sees_what_a_child_can_do(jail: Jail) -> None:
    found = list(SelfTest(zygote_process_of(jail), without(Layer.SECCOMP, Layer.USER)).forbidden())

    assert "a child can make a socket" in found
    assert "a child can learn about a file" in found
    assert "a child can take memory that is not counted" in found
    assert "a child can take memory that can only be read" in found
    assert "a child can make memory read-only" in found
    assert "a child can enlarge memory" in found
    assert "a child can replace memory" in found
    assert "a child can advise on memory" in found
    assert "a child can see another process" in found
    assert "a child can read another process's clock" in found
    assert "a child can fork" in found
    assert "a child can start a thread" in found
    assert "a child can read a file" not in found  # Landlock


def test_without_landlock_and_seccomp_the_self_test_sees_the_effects(jail: Jail) -> None:
    found = list(SelfTest(zygote_process_of(jail), ()).forbidden())

    assert "a child left files: ['secret', 'started', 'written']" in found
    assert "a child connected to a port of this computer" in found


def test_without_landlock_seccomp_still_refuses_everything(jail: Jail) -> None:
    assert list(SelfTest(zygote_process_of(jail), without(Layer.LANDLOCK)).forbidden()) == []


def test_without_limits_a_busy_loop_is_not_ended_by_its_limit(jail: Jail, monkeypatch) -> None:
    monkeypatch.setattr("playground.sandbox.jail.self_test.SPINNING", HALF_A_SECOND)

    (found,) = SelfTest(zygote_process_of(jail), without(Layer.RESOURCES)).spinning()

    assert found == "a busy loop is not ended by its limit: wall"


def test_without_limits_a_stack_grows_in_pieces(jail: Jail) -> None:
    (found,) = SelfTest(zygote_process_of(jail), without(Layer.RESOURCES)).growing()

    assert found == "a child can let its stack grow: ended by itself"


@dataclass(frozen=True)
class Spun:
    """A busy loop that was ended by the clock, after so much computing."""

    cpu_seconds: float

    def run(self, *_: object) -> JailAnswer:
        return JailAnswer(stopped_because=StoppedBecause.WALL, cpu_seconds=self.cpu_seconds)


def test_a_busy_loop_that_got_too_little_of_the_processors_says_nothing() -> None:
    starved = Spun(self_test.SPINNING.cpu_seconds - 0.1)
    unbounded = Spun(self_test.SPINNING.wall_seconds)

    assert list(SelfTest(starved, ALL_LAYERS).spinning()) == []
    assert list(SelfTest(unbounded, ALL_LAYERS).spinning()) != []


def test_a_missing_layer_closes_the_jail_and_names_the_setting(bare: ZygoteProcess) -> None:
    found, _ = run_self_test(bare, is_unjailed_allowed=False)

    assert not found
    assert not found.is_jailed
    assert str(found.closed_because).startswith(
        "a child cannot compute: failed the jail could not be closed: "
        "[Errno 38] Function not implemented. "
    )
    assert f"{self_test.UNJAILED_VARIABLE}={self_test.UNJAILED_VALUE}" in str(found.closed_because)


def test_with_consent_it_opens_with_the_layers_that_there_are(bare: ZygoteProcess) -> None:
    found, layers = run_self_test(bare, is_unjailed_allowed=True)

    assert found.ok
    assert not found.is_jailed
    assert layers == (Layer.RESOURCES, Layer.USER)
    assert "code can reach what this user can reach" in found.warnings[0]
    assert SelfTest(bare, layers).act("flood").stopped_because is StoppedBecause.OUTPUT


def test_consent_is_given_in_so_many_words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not self_test.is_unjailed_allowed()
    for word in ("1", "true", "yes", ""):
        monkeypatch.setenv(self_test.UNJAILED_VARIABLE, word)
        assert not self_test.is_unjailed_allowed()
    monkeypatch.setenv(self_test.UNJAILED_VARIABLE, self_test.UNJAILED_VALUE)
    assert self_test.is_unjailed_allowed()


def test_a_preflight_is_as_true_as_it_is_ok() -> None:
    assert SelfTestResult(ok=True)
    assert SelfTestResult(ok=True).is_jailed
    assert not SelfTestResult(ok=False)
    assert not SelfTestResult(ok=False).is_jailed
    assert not SelfTestResult(ok=True, is_waived=True).is_jailed
