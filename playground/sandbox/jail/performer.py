"""What can have a task done in a process of its own."""

from typing import Protocol

from playground.sandbox.jail.answer import JailAnswer
from playground.sandbox.jail.request import Request


class Performer(Protocol):
    """A zygote's keeper, or whatever stands in for it where there are no zygotes."""

    def perform(self, request: Request, arguments: bytes, data: bytes) -> JailAnswer:
        """Have a child do a job, and wait for its end.

        Raises:
            ZygoteLostError: There was nobody to do it.
        """

    def wait_until_ready(self) -> dict[str, int]:
        """Wait until it can perform; says what it knows about itself."""

    def is_alive(self) -> bool:
        """Whether it is still there; waits for nothing."""

    def kill(self) -> None:
        """End it even if it does not listen; ``end`` is still needed."""

    def end(self) -> None:
        """End it, and with it all its children."""
