"""What was found when the jail was tried."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What was found when the jail was tried; true where strangers' code may run.

    All texts are for the operator, in English; a visitor is told ``sandbox_closed``.

    Attributes:
        ok: The jail holds, or the operator gave it up in so many words.
        closed_because: Why strangers' code is refused; ``None`` where it may run.
        failures: What should have failed and did not, or the other way round.
        warnings: What the operator should know although it may run.
        is_waived: The operator waived the jail.
    """

    ok: bool
    closed_because: str | None = None
    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    is_waived: bool = False

    @property
    def is_jailed(self) -> bool:
        """Whether strangers' code may run, and every layer holds."""
        return self.ok and not self.is_waived

    def __bool__(self) -> bool:
        """Whether strangers' code may run."""
        return self.ok
