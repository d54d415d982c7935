"""Base class of steps that accept a network from the builder in place of their own."""

from playground.errors import InvalidSettingError, InvalidSpecError
from playground.modules.spec import Network
from playground.modules.spec.link import from_link
from playground.steps import Step, network_link


class NetworkStep(Step):
    """A step whose first field is the visitor's network; empty for the network of the step.

    Raises:
        InvalidSettingError: The field holds no network.
    """

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

    def check_runnable(self) -> None:
        """Refuse a visitor's network that cannot be built."""
        from playground.modules.build import build  # loads torch: only a worker calls this

        if self.network:
            build(from_link(self.network))
