"""Tries whether the jail holds; believes what it sees from outside, not what a child says."""

import json
import os
import socket
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex

from playground.sandbox.jail import memory_group
from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.jail.consent import CONSENT, VARIABLE
from playground.sandbox.jail.diagnosis import Preflight
from playground.sandbox.jail.performer import Performer
from playground.sandbox.jail.request import ALL_LAYERS, Layer, Request, ZygoteLostError
from playground.sandbox.json_values import JsonObject
from playground.sandbox.limits import LIMITS, Limits

PROBE = "probe"
WANTED_LANDLOCK = 3  # since then it knows of truncating
PATIENT = replace(LIMITS, wall_seconds=30.0)  # whether it works is asked, however busy it is here
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


def try_out(keeper: Performer, *, is_consented: bool) -> tuple[Preflight, tuple[Layer, ...]]:
    """Wait for a zygote, and have children of it try what must be impossible.

    Args:
        keeper: A zygote that was just started.
        is_consented: The operator takes what layers there are.

    Returns:
        What was found, and the layers that children can put on.

    Raises:
        ZygoteNotStartedError: There is no zygote to try.
    """
    told = keeper.wait_until_ready()
    if told["threads"] != 1:
        why = f"the zygote has {told['threads']} threads, so a fork of it could hang"
        return Preflight(ok=False, closed_because=why, failures=(why,)), ALL_LAYERS
    trial = Trial(keeper, ALL_LAYERS)
    failures, layers = tuple(trial.failures()), ALL_LAYERS
    warnings = tuple(_warnings(told["landlock"]))
    if not failures:
        return Preflight(ok=True, warnings=warnings), ALL_LAYERS
    if not is_consented:
        return Preflight(ok=False, closed_because=refusal(failures[0]), failures=failures), layers
    layers = tuple(layer for layer in Layer if Trial(keeper, (layer,)).act("nothing").is_ok)
    return try_out_without(keeper, layers, (*failures, *warnings)), layers


def try_out_without(
    performer: Performer, layers: tuple[Layer, ...], missing: tuple[str, ...]
) -> Preflight:
    """Try what the operator has consented to: computing in a process of its own, not in a jail.

    Args:
        performer: What makes the processes.
        layers: What they can put on, perhaps nothing.
        missing: What does not hold, in words.
    """
    broken = tuple(Trial(performer, layers).computing())
    if broken:
        return Preflight(ok=False, closed_because=broken[0], failures=broken)
    given_up = f"{VARIABLE} is set: code can reach what this user can reach"
    return Preflight(ok=True, warnings=(given_up, *missing), is_waived=True)


def refusal(why: str) -> str:
    """What an operator is told whose computer has no jail."""
    return (
        f"{why}. On a computer that only you use, {VARIABLE}={CONSENT} has code run in a process "
        "of its own, with the layers that there are"
    )


def _warnings(landlock: int) -> Iterator[str]:
    if landlock < WANTED_LANDLOCK:
        yield f"version {landlock} of Landlock is old; seccomp alone forbids truncating files"
    if not memory_group.is_bounded():
        yield "the service has no limit on its memory; set one, e.g. MemoryMax= of systemd"


@dataclass(frozen=True, slots=True)
class Trial:
    """Acts of children under some layers, and what is wrong about how they ended.

    Args:
        keeper: Their zygote.
        layers: What they put on.
    """

    keeper: Performer
    layers: tuple[Layer, ...]

    def failures(self) -> Iterator[str]:
        """Try everything; the long ones at the same time."""
        parts = (
            *(self.computing, self.forbidden, self.growing),
            *(self.spinning, self.sleeping, self.flooding),
        )
        with ThreadPoolExecutor(LIMITS.children, "jail-trial") as threads:
            for found in threads.map(lambda part: list(part()), parts):
                yield from found

    def act(
        self, name: str, limits: Limits = PATIENT, data: bytes = b"", **told: str | int
    ) -> JailAnswer:
        """Have one child do something."""
        request = Request(task=PROBE, limits=limits, layers=self.layers)
        arguments = json.dumps({"act": name, **told}).encode()
        try:
            return self.keeper.perform(request, arguments, data)
        except ZygoteLostError:
            return JailAnswer(stopped_because=StoppedBecause.RESTARTED)

    def computing(self) -> Iterator[str]:
        """What students do must work."""
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
        """What attackers do must fail, and must have had no effect."""
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
        """A stack in two pieces must not grow."""
        answer = self.act("grow")
        if answer.stopped_because is not StoppedBecause.CRASHED:
            yield f"a child can let its stack grow: {_described(answer)}"

    def spinning(self) -> Iterator[str]:
        """A busy loop must be ended by the limit on computing, once it has computed so much.

        Where others keep the processors busy, its time may be over before.
        """
        answer = self.act("spin", SPINNING)
        is_starved = (
            answer.stopped_because is StoppedBecause.WALL
            and answer.cpu_seconds < SPINNING.cpu_hard_seconds
        )
        if answer.stopped_because is not StoppedBecause.CPU and not is_starved:
            yield f"a busy loop is not ended by its limit: {_described(answer)}"

    def sleeping(self) -> Iterator[str]:
        """A child that only waits must be ended, too."""
        answer = self.act("sleep", SLEEPING)
        if answer.stopped_because is not StoppedBecause.WALL:
            yield f"a child that waits is not ended by its limit: {_described(answer)}"

    def flooding(self) -> Iterator[str]:
        """A child that prints without end must be ended."""
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
