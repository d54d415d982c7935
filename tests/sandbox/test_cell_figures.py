import json
import math

import numpy as np
import pytest
import torch

from playground.sandbox import schema
from playground.sandbox.cell.pyplot import Pyplot
from playground.sandbox.facade.allowed_names import MODULES
from playground.sandbox.figures import Figure, SeriesKind


@pytest.fixture
def plt():
    return Pyplot()


COLUMNS = torch.tensor([[1, 2], [3, 4]])
PIXELS = torch.arange(6.0).reshape(2, 3)
SQUARES = {"kind": SeriesKind.LINE, "x": (0.0, 1.0, 2.0), "y": (1.0, 4.0, 9.0)}


@pytest.mark.parametrize(
    ("name", "args", "series"),
    [
        ("plot", [[1, 4, 9]], [SQUARES]),
        ("plot", [(1, 4, 9)], [SQUARES]),
        ("plot", [torch.tensor([1, 4, 9])], [SQUARES]),
        ("plot", [np.array([1.0, 4.0, 9.0])], [SQUARES]),
        ("plot", [torch.ones(2, requires_grad=True) * 3], [{"y": (3.0, 3.0)}]),
        ("plot", [[0, 1], [2, 3], "r--", [0, 1], [4, 5]], [{"y": (2.0, 3.0)}, {"y": (4.0, 5.0)}]),
        ("plot", [[0, 1], COLUMNS], [{"y": (1.0, 3.0)}, {"y": (2.0, 4.0)}]),
        ("plot", [[1.0, math.nan, math.inf, 2.0]], [{"y": (1.0, None, None, 2.0)}]),
        ("bar", [["a", "b"], [1, 2]], [{"kind": "bar", "names": ("a", "b"), "y": (1.0, 2.0)}]),
        ("imshow", [PIXELS], [{"rows": ((0.0, 1.0, 2.0), (3.0, 4.0, 5.0))}]),
        ("axhline", [7], [{"x": (0.0, 1.0), "y": (7.0, 7.0)}]),  # a level alone
    ],
)
def test_what_is_drawn(plt, name, args, series):
    getattr(plt, name)(*args)

    [figure] = plt.drawn()
    found = [{key: getattr(each, key) for key in series[0]} for each in figure.series]
    assert found == series


def test_a_histogram_counts_as_numpy_does(plt):
    values = np.random.default_rng(0).normal(size=500)

    plt.hist(values, bins=20)

    counts, edges = np.histogram(values, bins=20)
    [series] = plt.drawn()[0].series
    assert series.y == tuple(counts.astype(float))
    np.testing.assert_allclose(series.x, (edges[1:] + edges[:-1]) / 2, rtol=1e-4, atol=1e-5)


def test_labels_and_scales(plt):
    plt.semilogy([1, 10], label="loss")
    plt.plot([1, 2], label="kept")
    plt.title("t")
    plt.xlabel("x")
    plt.ylabel("y")
    plt.legend(["renamed"])

    [figure] = plt.drawn()
    assert (figure.title, figure.x_label, figure.y_label) == ("t", "x", "y")
    assert (figure.is_log_x, figure.is_log_y, figure.has_legend) == (False, True, True)
    assert [each.label for each in figure.series] == ["renamed", "kept"]


def test_show_ends_a_figure_and_subplots_make_several(plt):
    plt.plot([1])
    plt.show()
    _, axes = plt.subplots(1, 2, figsize=(9, 3))
    axes[0].plot([2])
    axes[1].scatter([1, 2], [3, 4])
    axes[1].set_title("right")

    figures = plt.drawn()
    assert len(figures) == 3
    assert figures[2].title == "right"
    assert figures[2].series[0].kind is SeriesKind.SCATTER


def test_everything_is_bounded(plt):
    for _ in range(15):
        plt.figure()
        for _ in range(20):
            plt.plot(range(1_000), label="x" * 10_000)
    plt.figure()

    figures = plt.drawn()
    assert len(figures) == Figure.MAX_FIGURES
    assert sum(series.numbers for each in figures for series in each.series) == Figure.MAX_NUMBERS
    assert figures[0].left_out == 20 - 12  # a line has 500 places and 500 values
    assert len(json.dumps(schema.write(figures))) < 150_000


@pytest.mark.parametrize("draw", ["axhline", "axvline"])
def test_levels_are_bounded(plt, draw):
    for at in range(100):
        getattr(plt, draw)(at)

    [figure] = plt.drawn()
    assert (len(figure.series), figure.left_out) == (Figure.MAX_SERIES, 100 - Figure.MAX_SERIES)


def test_a_long_series_is_thinned_and_its_length_reported(plt):
    plt.plot(range(5_000))

    [series] = plt.drawn()[0].series
    assert series.total == 5_000
    assert len(series.y) <= Figure.MAX_POINTS
    assert series.x[:2] == (0.0, 10.0)


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("plot", ([1, 2], [1, 2, 3]), ValueError),
        ("scatter", ([1], [1, 2]), ValueError),
        ("plot", (["a", None],), (TypeError, ValueError)),
        ("imshow", ([[1, 2], [3]],), TypeError),
        ("subplots", (100, 100), ValueError),
        ("plot", (range(10**7),), ValueError),
    ],
)
def test_what_cannot_be_drawn_is_refused(plt, name, args, error):
    with pytest.raises(error):
        getattr(plt, name)(*args)


def test_all_that_a_cell_may_call_is_there(plt):
    for name in MODULES["matplotlib.pyplot"].members:
        assert callable(getattr(plt, name)), name


def test_a_level_goes_as_far_as_what_is_drawn(plt):
    plt.plot([1, 2, 3], [10, 40, 20])
    plt.axhline(25, color="red", linestyle="--", label="goal")
    _, ax = plt.subplots()
    ax.bar(["a", "b", "c"], [3, 5, 4])
    ax.axhline(y=4)
    ax.axvline(1)

    first, second = plt.drawn()
    [goal] = first.series[1:]
    assert (goal.x, goal.y, goal.label) == ((1.0, 3.0), (25.0, 25.0), "goal")
    assert (second.series[1].names, second.series[1].y) == (("a", "c"), (4.0, 4.0))
    assert (second.series[2].x, second.series[2].y) == ((1.0, 1.0), (3.0, 5.0))


def test_saving_a_figure_writes_nothing_and_says_so(plt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.plot([1, 2])

    with pytest.warns(UserWarning, match="writes no file"):
        plt.savefig("x.png")

    assert list(tmp_path.iterdir()) == []
    assert plt.drawn()[0].series[0].y == (1.0, 2.0)
