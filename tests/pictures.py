"""What the tests of pictures share."""

import pytest

from playground.palette import DARK, LIGHT

PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
