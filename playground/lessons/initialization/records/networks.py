"""The network of these steps: the lesson's own, or one that was built."""

from dataclasses import dataclass

from playground.compute.settings import Settings, check_length
from playground.modules.spec import Network
from playground.modules.spec.starts import MLP

DEFAULT = MLP
MOST_TEXT = 200_000


def check_network(text: str) -> None:
    """Refuse what is no network.

    Raises:
        InvalidSettingError: It is too long, or no text.
        InvalidSpecError: It is no network.
    """
    check_length("network", text, most=MOST_TEXT)
    Network.from_json(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A parameter of a network.

    Attributes:
        path: As ``named_parameters()`` has it.
        type_name: The class of the module that holds it.
        shape: None where it has none yet.
    """

    path: str
    type_name: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListParametersReport:
    """The parameters of a network, in the order of ``named_parameters()``."""

    entries: tuple[Entry, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each.path for each in self.entries)

    @property
    def types(self) -> tuple[str, ...]:
        """The classes of modules with a weight matrix, each once."""
        return tuple(
            dict.fromkeys(
                each.type_name for each in self.entries if each.shape and len(each.shape) > 1
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListParameters(Settings["ListParametersReport"]):
    """List the parameters of a network, without making it."""

    network: str = DEFAULT.to_json()

    def __post_init__(self) -> None:
        """Refuse what is no network."""
        self.check_types()
        check_network(self.network)
