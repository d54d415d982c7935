"""What the tests of all lessons share."""

import pytest

from playground import catalog
from playground.palette import Words


@pytest.fixture(params=list(catalog.Language))
def words(request: pytest.FixtureRequest) -> Words:
    """The labels of the lesson whose folder the test is in, in each language."""
    labels = catalog.lesson(request.path.parent.name).labels
    return Words({name: text.said(request.param) for name, text in labels.items()})
