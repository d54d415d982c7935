"""What a cell begins with: made before, and its alone."""

import pytest

from playground.sandbox import facade
from playground.sandbox.cell import namespace


@pytest.fixture
def none_ready(monkeypatch):
    monkeypatch.setattr(namespace, "_ready", [])
    monkeypatch.setattr(namespace, "_taken", [])


def test_each_cell_has_its_own(none_ready):
    namespace.prepare(2)
    taken = [namespace.take() for _ in range(3)]  # one more than is ready

    assert len({id(each.names["torch"]) for each in taken}) == 3
    assert len({id(each.names["__builtins__"]) for each in taken}) == 3
    assert len({id(each.pyplot) for each in taken}) == 3


def test_plots_reach_the_pyplot_of_the_same_cell(none_ready):
    namespace.prepare(2)
    one, two = namespace.take(), namespace.take()
    exec("import matplotlib.pyplot as plt\nplt.plot([1, 2])", dict(one.names))

    assert len(one.pyplot.drawn()) == 1
    assert not two.pyplot.drawn()


def test_what_is_made_before_is_what_a_cell_would_bind(none_ready):
    namespace.prepare(1)
    ready, bound = namespace.take().names, facade.bind()

    assert ready.keys() == bound.keys()
    assert dir(ready["torch"]) == dir(bound["torch"])
    assert ready["__builtins__"].keys() == bound["__builtins__"].keys()
