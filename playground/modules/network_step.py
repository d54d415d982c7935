"""Base class of steps that accept a network from the builder in place of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from playground.errors import InvalidSettingError, InvalidSpecError
from playground.modules.source import as_sequential
from playground.modules.spec import Network
from playground.modules.spec.link import from_link, trained_steps
from playground.steps import Files, Step, Words, network_link

TRAINED_FILE = "trained.pt"


class NetworkStep(Step):
    """A step whose first field is the visitor's network; empty for the network of the step.

    Attributes:
        takes_weights: The program of a network that was trained loads its weights.

    Raises:
        InvalidSettingError: The field holds no network.
    """

    takes_weights: ClassVar[bool] = True

    network: str = network_link()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network:
            self.visitors_network()

    def visitors_network(self) -> Network:
        """Read the network from the builder.

        Raises:
            InvalidSettingError: There is none in the link.
        """
        try:
            return from_link(self.network)
        except InvalidSpecError:
            raise InvalidSettingError(
                "choice", field="network", given=self.network, allowed='"…"'
            ) from None

    @property
    def has_weights(self) -> bool:
        """The network was trained, and the program loads its weights."""
        return self.takes_weights and trained_steps(self.network) > 0

    def definition(self, w: Words) -> str:
        """Return the lines that make the visitor's network; one that was trained gets its weights.

        The definition is folded.
        """
        made = as_sequential(self.visitors_network(), seed=0, run=False).rstrip()
        load = f"\n{load_line()}" if self.has_weights else ""
        return f"{made}{w.folded}{load}"

    def files(self) -> Files | None:
        return Files(downloads=(TRAINED_FILE,)) if self.has_weights else None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Enter the folder of the program, in which the trained weights are a file."""
        with super().running():
            if self.has_weights:
                write_trained(self.network)
            yield

    def check_runnable(self) -> None:
        """Refuse a visitor's network that cannot be built."""
        from playground.modules.build import build  # loads torch: only a worker calls this

        if self.network:
            build(from_link(self.network))


def load_line(name: str = "net") -> str:
    """Return the line of a program that loads the weights of a trained network."""
    return f'{name}.load_state_dict(torch.load("{TRAINED_FILE}"))'


def trained_files(link: str) -> tuple[str, ...]:
    """Return the name of the file that this line loads; nothing for a network without weights."""
    return (TRAINED_FILE,) if trained_steps(link) else ()


def write_trained(link: str) -> None:
    """Write the weights of a network that was trained in the builder; called in the worker.

    Raises:
        InvalidSpecError: It cannot be trained.
    """
    if steps := trained_steps(link):
        from playground.modules.toy_training import trained_weights  # loads torch

        text = from_link(link).to_json()
        Path(TRAINED_FILE).write_bytes(trained_weights(text, steps))
