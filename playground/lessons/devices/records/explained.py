"""What every report of this lesson can tell the page that shows it."""

from collections.abc import Mapping

from playground.compute.outcome import Outcome

Fact = str | int | float | bool | None
Told = Mapping[str, object]


class Explained:
    """A report that names its own explanation; a subclass says what applies to it."""

    __slots__ = ()

    @property
    def actual(self) -> str | bool | None:
        """The answer to the step's question; None where it asks nothing."""
        return None

    @property
    def answers(self) -> tuple[str, ...] | None:
        """What may be predicted; None where the lesson's words list it."""
        return None

    @property
    def said(self) -> Outcome | None:
        """What PyTorch said, where its words matter."""
        return None

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Readings by label."""
        return {}

    @property
    def why(self) -> str:
        """Which explanation of ``[whys]`` fits the answer."""
        return ""

    @property
    def told(self) -> Told:
        """What the explanation and the alternative text of the picture mention."""
        return {}

    @property
    def printed(self) -> str:
        """What a program or PyTorch printed beside its answer."""
        return ""
