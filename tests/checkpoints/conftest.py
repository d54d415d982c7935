from dataclasses import replace
from functools import partial

import pytest

from playground.sandbox import jail
from playground.sandbox.limits import LIMITS


@pytest.fixture(scope="module", autouse=True)
def nobody_hurries():
    """A load that says nothing of its limits may wait for a processor for a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jail, "run", partial(jail.run, limits=replace(LIMITS, wall_seconds=60.0)))
        yield
