"""What the reports of this lesson have of their own: what torch refuses before it draws."""

from dataclasses import dataclass

from playground import explained


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(explained.Quiet):
    """A report whose picture needs a result."""

    @property
    def is_drawn(self) -> bool:
        """PyTorch had an answer."""
        return self.outcome.ok

    @property
    def refusal(self) -> str:
        """Torch's words where a number is out of range."""
        return self.outcome.message if self.why == "refused" else ""
