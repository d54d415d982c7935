"""What the reports of this lesson have of their own: when there is a picture."""

from dataclasses import dataclass

from playground import explained

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(explained.Explained):
    """A report whose picture needs a result."""

    @property
    def is_drawn(self) -> bool:
        """PyTorch had an answer."""
        return self.outcome.ok
