"""A quota of GPUs that do not exist."""

import importlib
from dataclasses import dataclass

from playground.compute.gpu_quota import GpuQuota

CARD = "tests.compute.gpu_probe.card"  # it imports torch: by name, in the worker only
_installed: list[bool] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeQuota(GpuQuota):
    """Puts fake GPUs into its worker, then applies the quota as always.

    Attributes:
        totals: Bytes of each.
        faults: A folder, see ``FakeCards``.
    """

    totals: tuple[int, ...]
    faults: str

    def apply(self) -> None:
        if not _installed:
            importlib.import_module(CARD).FakeCards(self.totals, self.faults).install()
            _installed.append(True)
        GpuQuota.apply(self)
