"""The one process of the web server that knows Ray; it ends when it loses the cluster.

Ray ends the process that it runs in when it has missed its head for some time, and holds some 60
MiB: neither is for the web process. That talks to the bridge by ``multiprocessing``'s manager.
"""

import importlib
import os
import threading
from dataclasses import dataclass
from multiprocessing.managers import BaseManager
from typing import Any

from playground.compute import parent
from playground.compute.cluster.actor import THREADS, SeatActor
from playground.compute.cluster.ending import WorkerLostError

HEAR_SECONDS = 5.0  # how long an actor may wait for something to be told before it answers
PATIENCE = "RAY_gcs_rpc_server_reconnect_timeout_s"
PATIENCE_SECONDS = "10"  # how long a head may be silent before Ray ends this process
CPU, GPU = {"num_cpus": 1}, {"num_cpus": 0, "num_gpus": 1}

_refusals: list[Exception] = []


@dataclass(frozen=True, slots=True)
class _Sitter:
    """An actor, and Ray's promise that breaks when it is lost."""

    actor: Any
    watch: Any


@dataclass(slots=True)
class _Flight:
    """A task on its way: Ray's promises of its ending and of what it tells next."""

    number: int
    ending: Any
    told: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What the cluster has: its processors, its GPUs, and the seats whose actors were lost."""

    cpus: int
    gpus: int
    lost: frozenset[int]


class Bridge:
    """Ray's driver, with one actor for each seat; all methods may be called from any thread."""

    def __init__(self) -> None:
        self._ray: Any = importlib.import_module("ray")
        self._class = self._ray.remote(SeatActor)
        self._sitters: dict[int, _Sitter] = {}
        self._flights: dict[int, _Flight] = {}

    def check(self) -> None:
        """Do nothing where ``prepare`` has connected.

        Raises:
            WorkerLostError: It has not; with Ray's reason.
        """
        if _refusals:
            raise WorkerLostError(last_line(_refusals[0]))

    def look(self, seconds: float) -> Sight:
        """See what the cluster has, after some seconds, or as soon as an actor is lost."""
        watched = {sitter.watch: seat for seat, sitter in list(self._sitters.items())}
        if watched:
            broken, _ = self._ray.wait(list(watched), timeout=seconds)
        else:
            threading.Event().wait(seconds)
            broken = []
        lost = {watched[watch]: watch for watch in broken}
        for seat, watch in lost.items():
            sitter = self._sitters.get(seat)
            if sitter is not None and sitter.watch == watch:  # otherwise another one sits there
                self.drop(seat)
        has = self._ray.cluster_resources()
        cpus, gpus = (int(has.get(name, 0)) for name in ("CPU", "GPU"))
        return Sight(cpus=cpus, gpus=gpus, lost=frozenset(lost))

    def open(self, seat: int, has_gpu: bool) -> str:
        """Wait until the seat has an actor somewhere, and its worker answers.

        Returns:
            The fingerprint of that node's playground; nothing where its worker does not start.

        Raises:
            WorkerLostError: The actor did not start, or was lost.
        """
        sitter = self._sitters.get(seat)
        if sitter is None:
            needs = GPU if has_gpu else CPU
            options = self._class.options(
                max_concurrency=THREADS, max_restarts=0, scheduling_strategy="SPREAD", **needs
            )
            actor = options.remote(not has_gpu)
            self._sitters[seat] = sitter = _Sitter(actor, actor.stay.remote())
        found: str = self._get(seat, sitter.actor.open.remote())
        return found

    def begin(
        self, seat: int, number: int, pickled_settings: bytes, timeout: float, tells: bool
    ) -> None:
        """Send a task to a seat's actor.

        Raises:
            WorkerLostError: It has none.
        """
        actor = self._actor(seat)
        ending = actor.run.remote(number, pickled_settings, timeout, tells)
        self._flights[seat] = flight = _Flight(number, ending)
        if tells:
            flight.told = actor.hear.remote(number, HEAR_SECONDS)

    def hear(self, seat: int, seconds: float) -> tuple[bytes | None, bytes | None]:
        """Wait for news of the task for some seconds at most.

        Returns:
            The newest record that it told, and its packed ending, where there are such.

        Raises:
            WorkerLostError: The actor was lost.
        """
        flight = self._flights[seat]
        awaited = [flight.ending] if flight.told is None else [flight.ending, flight.told]
        ready, _ = self._ray.wait(awaited, timeout=seconds)
        has_ended = flight.ending in ready
        told = None
        if flight.told is not None and (has_ended or flight.told in ready):
            told = self._get(seat, flight.told)  # a run that is over keeps nobody who hears waiting
            flight.told = self._actor(seat).hear.remote(flight.number, HEAR_SECONDS)
        if not has_ended:
            return told, None
        if flight.told is not None:
            told = self._get(seat, flight.told) or told
        return told, self._get(seat, flight.ending)

    def leave(self, seat: int) -> None:
        """Ask for the end of the task; ``hear`` tells when it has come.

        Raises:
            WorkerLostError: The actor was lost.
        """
        self._actor(seat).leave.remote(self._flights[seat].number)

    def drop(self, seat: int) -> None:
        """End a seat's actor, if it has one."""
        sitter = self._sitters.pop(seat, None)
        if sitter is not None:
            self._ray.kill(sitter.actor)

    def end(self) -> None:
        """End this process at once, also in the middle of a call; Ray then ends its actors."""
        os._exit(0)

    def _actor(self, seat: int) -> Any:
        sitter = self._sitters.get(seat)
        if sitter is None:
            raise WorkerLostError("no actor")
        return sitter.actor

    def _get(self, seat: int, promise: Any) -> Any:
        try:
            return self._ray.get(promise)
        except self._ray.exceptions.RayError as error:
            self.drop(seat)
            raise WorkerLostError(last_line(error)) from None


class BridgeManager(BaseManager):
    """Starts the process, and calls the bridge from the web process."""


BridgeManager.register("Bridge", Bridge)


def prepare(address: str) -> None:
    """Make a fresh process the bridge, which ends with the server, and soon after its cluster.

    Ray is started here, since it wants the main thread.

    Args:
        address: The cluster's head.
    """
    parent.end_with_it()
    os.environ.setdefault(PATIENCE, PATIENCE_SECONDS)
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"  # otherwise a late call starts a cluster here
    try:
        ray: Any = importlib.import_module("ray")
        ray.init(address=address, configure_logging=False, log_to_driver=False)
    except Exception as error:  # noqa: BLE001 - ``check`` tells it, where somebody hears it
        _refusals.append(error)


def last_line(error: Exception) -> str:
    """The reason in a text of Ray's, which puts it at the end, after a trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
