"""The self-test of the jail: tries at each start what must be impossible, and what must work.

It believes what it sees from outside, not what a child says. An operator may allow code to run
without a jail, on a computer that only he uses.
"""

import json
import os
import socket
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex

from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.jail.request import ALL_LAYERS, Layer, Request, TaskRunner, ZygoteLostError
from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.schema import JsonObject

UNJAILED_VARIABLE = "PLAYGROUND_LAB_WITHOUT_JAIL"
UNJAILED_VALUE = "code-can-read-and-change-my-files"
TASK = "self_test"
WANTED_LANDLOCK = 3  # since then it knows of truncating
PATIENT = replace(LIMITS, wall_seconds=30.0)  # generous: a busy host must not fail the self-test
SPINNING = replace(LIMITS, cpu_seconds=1, cpu_hard_seconds=2, wall_seconds=20.0)
SLEEPING = replace(LIMITS, wall_seconds=0.5)
DATA = b"a file for the task"
EXPECTED: JsonObject = {
    "loss": 24.0,  # eight inputs of one, each into three outputs
    "weight": 0.75,  # Adam's first step is the learning rate, whatever the gradient
    "convolution": 81.0,  # nine windows of nine ones
    "kernel": 0.75,
    "gradients": 10,  # of one linear weight, one kernel, four of the LSTM, four of the attention
    "recurrent": [2, 3, 5],
    "attended": [2, 3, 4],
    "data": DATA.decode(),
}
CGROUP_ROOT = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")
UNLIMITED_BYTES = 2**60


def is_unjailed_allowed() -> bool:
    """Return whether the operator has set that code may reach his files."""
    return os.environ.get(UNJAILED_VARIABLE) == UNJAILED_VALUE


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestResult:
    """The result of the self-test; true if untrusted code may run.

    All texts are for the operator, in English; a visitor reads the words of ``sandbox_closed``.

    Attributes:
        ok: The jail holds, or the operator explicitly allowed to go without.
        closed_because: Why untrusted code is refused; ``None`` where it may run.
        failures: Acts that should have failed and did not, or the other way round.
        warnings: For the operator, although code may run.
        is_waived: The operator waived the jail.
    """

    ok: bool
    closed_because: str | None = None
    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    is_waived: bool = False

    @property
    def is_jailed(self) -> bool:
        """True if untrusted code may run with every layer."""
        return self.ok and not self.is_waived

    def __bool__(self) -> bool:
        return self.ok


def run_self_test(
    runner: TaskRunner, *, is_unjailed_allowed: bool
) -> tuple[SelfTestResult, tuple[Layer, ...]]:
    """Wait for a zygote, and have its children try what must be impossible.

    Args:
        runner: A zygote that was just started.
        is_unjailed_allowed: The operator accepts the layers that there are.

    Returns:
        What was found, and the layers that children can put on.

    Raises:
        ZygoteNotStartedError: There is no zygote to try.
    """
    facts = runner.wait_until_ready()
    if facts["threads"] != 1:
        why = f"the zygote has {facts['threads']} threads, so a fork of it could hang"
        return SelfTestResult(ok=False, closed_because=why, failures=(why,)), ALL_LAYERS
    test = SelfTest(runner, ALL_LAYERS)
    failures, layers = tuple(test.failures()), ALL_LAYERS
    warnings = tuple(_warnings(facts["landlock"]))
    if not failures:
        return SelfTestResult(ok=True, warnings=warnings), ALL_LAYERS
    if not is_unjailed_allowed:
        return SelfTestResult(
            ok=False, closed_because=refusal(failures[0]), failures=failures
        ), layers
    layers = tuple(layer for layer in Layer if SelfTest(runner, (layer,)).act("nothing").is_ok)
    return run_unjailed_self_test(runner, layers, (*failures, *warnings)), layers


def run_unjailed_self_test(
    runner: TaskRunner, layers: tuple[Layer, ...], missing: tuple[str, ...]
) -> SelfTestResult:
    """Test computing in a process of its own without a jail, which the operator has allowed.

    Args:
        runner: Makes the processes.
        layers: What they can put on, perhaps nothing.
        missing: What does not hold, in words.
    """
    broken = tuple(SelfTest(runner, layers).computing())
    if broken:
        return SelfTestResult(ok=False, closed_because=broken[0], failures=broken)
    given_up = f"{UNJAILED_VARIABLE} is set: code can reach what this user can reach"
    return SelfTestResult(ok=True, warnings=(given_up, *missing), is_waived=True)


def refusal(why: str) -> str:
    """Explain to the operator that this computer has no jail, and how to go without."""
    return (
        f"{why}. On a computer that only you use, {UNJAILED_VARIABLE}={UNJAILED_VALUE} has code "
        "run in a process of its own, with the layers that there are"
    )


def _warnings(landlock: int) -> Iterator[str]:
    if landlock < WANTED_LANDLOCK:
        yield f"version {landlock} of Landlock is old; seccomp alone forbids truncating files"
    if not is_memory_limited():
        yield "the service has no limit on its memory; set one, e.g. MemoryMax= of systemd"


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Acts of children under some layers; each test yields what is wrong, in words.

    Args:
        runner: Their zygote.
        layers: What they put on.
    """

    runner: TaskRunner
    layers: tuple[Layer, ...]

    def failures(self) -> Iterator[str]:
        """Try everything; the long ones at the same time."""
        parts = (
            *(self.computing, self.forbidden, self.growing),
            *(self.spinning, self.sleeping, self.flooding),
        )
        with ThreadPoolExecutor(LIMITS.children, "jail-self-test") as threads:
            for found in threads.map(lambda part: list(part()), parts):
                yield from found

    def act(
        self, name: str, limits: Limits = PATIENT, data: bytes = b"", **facts: str | int
    ) -> JailAnswer:
        """Have one child do one act of ``self_test_task``."""
        request = Request(task=TASK, limits=limits, layers=self.layers)
        arguments = json.dumps({"act": name, **facts}).encode()
        try:
            return self.runner.run(request, arguments, data)
        except ZygoteLostError:
            return JailAnswer(stopped_because=StoppedBecause.RESTARTED)

    def computing(self) -> Iterator[str]:
        """Test that students' programs work."""
        answer = self.act("compute", data=DATA)
        if answer.value is None:
            yield f"a child cannot compute: {_described(answer)}"
            return
        value = answer.value
        for name, expected in EXPECTED.items():
            if value.get(name) != expected:
                yield f"a child computes wrongly: {name} is {value.get(name)!r}, not {expected!r}"
        if not str(value.get("raised")).startswith("RuntimeError: "):
            yield f"an impossible product is not refused: {value.get('raised')!r}"
        if answer.output != "printed\n":
            yield f"printing does not work: {answer.output!r}"

    def forbidden(self) -> Iterator[str]:
        """Test that attacks fail and have no effect."""
        word = token_hex()
        with tempfile.TemporaryDirectory() as folder, socket.socket() as listener:
            target, secret = Path(folder), Path(folder, "secret")
            target.chmod(0o777)
            secret.write_text(word, "ascii")
            secret.chmod(0o644)
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            listener.setblocking(False)
            port = listener.getsockname()[1]
            answer = self.act(
                "forbidden", secret=str(secret), target=folder, port=port, process=os.getpid()
            )
            left = sorted(path.name for path in target.iterdir())
            if left != ["secret"]:
                yield f"a child left files: {left}"
            if _is_connected(listener):
                yield "a child connected to a port of this computer"
        if not answer.value:
            yield f"trying what is forbidden: {_described(answer)}"
        for name, refusal in (answer.value or {}).items():
            if not isinstance(refusal, str):
                yield f"a child can {name}"

    def growing(self) -> Iterator[str]:
        """Test that a stack in two pieces does not grow."""
        answer = self.act("grow")
        if answer.stopped_because is not StoppedBecause.CRASHED:
            yield f"a child can let its stack grow: {_described(answer)}"

    def spinning(self) -> Iterator[str]:
        """Test that a busy loop is ended by the limit on computing time.

        If other processes keep the processors busy, its wall time may be over before.
        """
        answer = self.act("spin", SPINNING)
        is_starved = (
            answer.stopped_because is StoppedBecause.WALL
            and answer.cpu_seconds < SPINNING.cpu_hard_seconds
        )
        if answer.stopped_because is not StoppedBecause.CPU and not is_starved:
            yield f"a busy loop is not ended by its limit: {_described(answer)}"

    def sleeping(self) -> Iterator[str]:
        """Test that a child that only waits is ended."""
        answer = self.act("sleep", SLEEPING)
        if answer.stopped_because is not StoppedBecause.WALL:
            yield f"a child that waits is not ended by its limit: {_described(answer)}"

    def flooding(self) -> Iterator[str]:
        """Test that a child that prints without end is ended."""
        answer = self.act("flood")
        if answer.stopped_because is not StoppedBecause.OUTPUT:
            yield f"a flood of output is not ended by its limit: {_described(answer)}"


def _is_connected(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _described(answer: JailAnswer) -> str:
    ended = answer.stopped_because or "ended by itself"
    return f"{ended} {answer.failure}".strip()


def is_memory_limited() -> bool:
    """Return whether the control group of this process, or one around it, limits its memory."""
    try:
        lines = OWN_CGROUP.read_text("utf-8").splitlines()
    except OSError:
        return False
    places = []
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            places.append((CGROUP_ROOT, path, "memory.max"))
        elif "memory" in controllers.split(","):
            places.append((CGROUP_ROOT / "memory", path, "memory.limit_in_bytes"))
    return any(_is_limited(*place) for place in places)


def _is_limited(root: Path, path: str, name: str) -> bool:
    group = root / path.lstrip("/")
    for place in (group, *group.parents):
        try:
            limit = (place / name).read_text("ascii").strip()
        except OSError:
            limit = "max"
        if limit != "max" and int(limit) < UNLIMITED_BYTES:
            return True
        if place == root:
            break
    return False
