"""The one stream that a simulated device has: everything on it is done when it is asked for."""

from typing import TYPE_CHECKING, NoReturn

from playground.machines.simulated.host import refuse
from playground.machines.simulated.tag import device_named

if TYPE_CHECKING:
    import torch

    from playground.machines.simulated.host import SimulatedHost


class SimulatedStream:
    """The default stream of a device; what needs a second stream, or time, is refused."""

    def __init__(self, host: "SimulatedHost", index: int) -> None:
        self.device: torch.device = device_named(host.check(index))

    def synchronize(self) -> None:
        """Wait for nothing: there is nothing under way."""

    def query(self) -> bool:
        """Whether all work is done: always."""
        return True

    def is_capturing(self) -> bool:
        """Whether a CUDA graph is being recorded: never."""
        return False

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what needs a second stream."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise refuse(f"torch.cuda.Stream.{name}")

    def __eq__(self, other: object) -> bool:
        """Streams of one device are one stream."""
        return isinstance(other, SimulatedStream) and other.device == self.device

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(self.device)
