from dataclasses import replace
from functools import partial

import pytest

from playground import sandbox
from playground.sandbox.limits import LIMITS

PATIENT = replace(LIMITS, wall_seconds=120.0)  # a limit for what hangs: computing alone counts
UNHURRIED = replace(PATIENT, cpu_seconds=100, cpu_hard_seconds=101)  # a slow computer has its time


@pytest.fixture(scope="module", autouse=True)
def nobody_hurries():
    """A cell that says nothing of its limits may wait for a processor for two minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "run", partial(sandbox.run, limits=PATIENT))
        yield
