from types import SimpleNamespace

import pytest

from playground.sandbox.jail import JailAnswer, StoppedBecause, self_test
from playground.sandbox.jail.request import ALL_LAYERS, Layer
from playground.sandbox.jail.self_test import SelfTest, run_self_test
from playground.sandbox.limits import Limits
from tests.sandbox.jail.conftest import started_zygote

HALF_A_SECOND = Limits(wall_seconds=0.5, cpu_seconds=0, cpu_hard_seconds=0)


@pytest.fixture(scope="module")
def bare(needs_kernel):
    """A zygote on what looks like a kernel without Landlock and seccomp."""
    with started_zygote(self_test="no_layers_task:self_test") as made:
        yield made


@pytest.fixture
def self_test_without(jail):
    """The self-test of the jail's children, which lack these layers."""

    def self_test_without(*missing):
        layers = tuple(layer for layer in ALL_LAYERS if layer not in missing)
        return SelfTest(jail._runner, layers)

    return self_test_without


def test_the_self_test_trains_every_kind_of_layer(self_test_without):
    answer = self_test_without().act("compute")
    # a linear layer and a convolution without bias, an LSTM, and attention with its two projections
    assert answer.value["gradients"] == 1 + 1 + 4 + 2 * 2
    assert answer.value["kernel"] == 1 - 0.25  # Adam's first step is the learning rate


WITHOUT_SECCOMP = (
    *("make a socket", "learn about a file", "fork", "start a thread", "enlarge memory"),
    *("take memory that is not counted", "take memory that can only be read", "replace memory"),
    *("make memory read-only", "advise on memory", "see another process"),
    "read another process's clock",
)


def test_without_seccomp_the_self_test_sees_what_a_child_can_do(self_test_without):
    found = list(self_test_without(Layer.SECCOMP, Layer.USER).forbidden())
    assert {f"a child can {each}" for each in WITHOUT_SECCOMP} <= set(found)
    assert "a child can read a file" not in found  # Landlock


def test_without_landlock_and_seccomp_the_self_test_sees_the_effects(self_test_without):
    left, connected, ended = self_test_without(*ALL_LAYERS).forbidden()

    # The program that the child became writes "started", unless it is ended before.
    assert left.replace("'started', ", "") == "a child left files: ['secret', 'written']"
    assert connected == "a child connected to a port of this computer"
    assert ended.startswith("trying what is forbidden: ")


def test_without_landlock_seccomp_still_refuses_everything(self_test_without):
    assert list(self_test_without(Layer.LANDLOCK).forbidden()) == []


def test_without_limits_a_busy_loop_goes_on_and_a_stack_grows(self_test_without, monkeypatch):
    monkeypatch.setattr("playground.sandbox.jail.self_test.SPINNING", HALF_A_SECOND)
    test = self_test_without(Layer.RESOURCES)

    assert list(test.spinning()) == ["a busy loop is not ended by its limit: wall"]
    assert list(test.growing()) == ["a child can let its stack grow: ended by itself"]


@pytest.mark.parametrize(
    ("computed_seconds", "is_failure"),
    [(self_test.SPINNING.cpu_seconds - 0.1, False), (self_test.SPINNING.wall_seconds, True)],
)
def test_a_busy_loop_that_got_too_little_of_the_processors_says_nothing(
    computed_seconds, is_failure
):
    ended = JailAnswer(stopped_because=StoppedBecause.WALL, cpu_seconds=computed_seconds)
    runner = SimpleNamespace(run=lambda *_: ended)
    assert bool(list(SelfTest(runner, ALL_LAYERS).spinning())) == is_failure


def test_a_missing_layer_closes_the_jail_and_names_the_setting(bare):
    found, _ = run_self_test(bare, is_unjailed_allowed=False)

    assert not found
    assert not found.is_jailed
    assert str(found.closed_because).startswith(
        "a child cannot compute: failed the jail could not be closed: "
        "[Errno 38] Function not implemented. "
    )
    assert f"{self_test.UNJAILED_VARIABLE}={self_test.UNJAILED_VALUE}" in str(found.closed_because)


def test_with_consent_it_opens_with_the_layers_that_there_are(bare):
    found, layers = run_self_test(bare, is_unjailed_allowed=True)

    assert found.ok
    assert not found.is_jailed
    assert layers == (Layer.RESOURCES, Layer.USER)
    assert "code can reach what this user can reach" in found.warnings[0]
    assert SelfTest(bare, layers).act("flood").stopped_because is StoppedBecause.OUTPUT


def test_consent_is_given_in_so_many_words_only(monkeypatch):
    assert not self_test.is_unjailed_allowed()
    for word in ("1", "true", "yes", ""):
        monkeypatch.setenv(self_test.UNJAILED_VARIABLE, word)
        assert not self_test.is_unjailed_allowed()
    monkeypatch.setenv(self_test.UNJAILED_VARIABLE, self_test.UNJAILED_VALUE)
    assert self_test.is_unjailed_allowed()
