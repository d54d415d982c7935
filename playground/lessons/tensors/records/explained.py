"""What the reports of this lesson have of their own: the device map can draw most of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.explained import Explained
from playground.lessons.tensors.records.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class OnMap(Explained):
    """A report that the device map can draw."""

    scene: Scene

    @property
    def pictured(self) -> Mapping[str, str]:
        """Which tensor is where, and the operation."""
        return {"places": self.scene.described(), "formula": self.scene.formula}
