"""What a cell begins with: made before, and its alone."""

import pytest

from playground.sandbox import facade
from playground.sandbox.cell import beginning


@pytest.fixture
def none_ready(monkeypatch):
    monkeypatch.setattr(beginning, "_ready", [])
    monkeypatch.setattr(beginning, "_given", [])


def test_each_cell_has_its_own(none_ready):
    beginning.make_ready(2)
    taken = [beginning.take() for _ in range(3)]  # one more than is ready

    assert len({id(each.names["torch"]) for each in taken}) == 3
    assert len({id(each.names["__builtins__"]) for each in taken}) == 3
    assert len({id(each.pyplot) for each in taken}) == 3


def test_plots_reach_the_pyplot_of_the_same_cell(none_ready):
    beginning.make_ready(2)
    one, two = beginning.take(), beginning.take()
    exec("import matplotlib.pyplot as plt\nplt.plot([1, 2])", dict(one.names))

    assert len(one.pyplot.drawn()) == 1
    assert not two.pyplot.drawn()


def test_what_is_made_before_is_what_a_cell_would_bind(none_ready):
    beginning.make_ready(1)
    ready, bound = beginning.take().names, facade.bind()

    assert ready.keys() == bound.keys()
    assert dir(ready["torch"]) == dir(bound["torch"])
    assert ready["__builtins__"].keys() == bound["__builtins__"].keys()
