"""A share of GPUs that do not exist."""

import importlib
from dataclasses import dataclass

from playground.compute.gpu_share import GpuShare

CARD = "tests.compute.gpu_probe.card"  # it imports torch: by name, in the worker only
_installed: list[bool] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeShare(GpuShare):
    """Puts fake GPUs into its worker, then settles as always.

    Attributes:
        totals: Bytes of each.
        faults: A folder, see ``FakeCards``.
    """

    totals: tuple[int, ...]
    faults: str

    def settle(self) -> None:
        if not _installed:
            importlib.import_module(CARD).FakeCards(self.totals, self.faults).install()
            _installed.append(True)
        GpuShare.settle(self)
