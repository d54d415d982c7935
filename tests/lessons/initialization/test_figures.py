"""The pictures of the lesson say what the reports say, in little."""

import pytest

from playground import catalog
from playground.lessons.initialization import figures
from playground.lessons.initialization.experiment import (
    apply_to_all,
    count_fans,
    follow_own_rule,
    initialize,
)
from playground.lessons.initialization.records import (
    ApplyToAll,
    CountFans,
    FollowOwnRule,
    Initialize,
    Layout,
    Recipe,
)
from playground.modules.spec.starts import TRANSFORMER
from playground.palette import DARK, LIGHT, Palette, Words

WORDS = Words({name: text.en for name, text in catalog.lesson("initialization").labels.items()})


def texts(figure: object) -> list[str]:
    """What is written in a picture."""
    return [note.text for note in figure.layout.annotations]  # type: ignore[attr-defined]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_bars_are_as_high_as_their_counts_and_the_box_stands_on_its_bounds(
    palette: Palette,
) -> None:
    report = initialize(Initialize(initializer="uniform_", arguments={"a": -1.0, "b": 3.0}))
    bars, theory = figures.values(report, palette, WORDS).data

    assert tuple(bars.customdata) == report.counts
    assert bars.y[0] / bars.y[1] == pytest.approx(report.counts[0] / report.counts[1], rel=0.02)
    assert (theory.x[0], theory.x[-1]) == (-1.0, 3.0)
    assert len({round(y) for y in theory.y[1:-1]}) == 1


def test_what_is_met_exactly_is_a_stem_and_no_bar() -> None:
    report = initialize(Initialize(initializer="eye_", shape=(4, 4)))
    zero, expected_zero, one, expected_one = figures.values(report, LIGHT, WORDS).data

    assert (zero.name, one.name) == ("exactly 0", "exactly 1")
    assert (zero.y[1] - zero.y[0]) / (one.y[1] - one.y[0]) == pytest.approx(3, rel=0.01)
    assert (expected_zero.y[0], expected_one.y[0]) == (zero.y[1], one.y[1])
    assert "<b>0</b>: 75.00%" in texts(figures.values(report, LIGHT, WORDS))


def test_a_rule_of_ones_own_has_bars_beside_its_stem() -> None:
    report = follow_own_rule(FollowOwnRule())
    traces = {trace.name: trace for trace in figures.values(report, LIGHT, WORDS).data}

    assert set(traces) == {"measured", "theory", "exactly 0", "expected 0"}
    middle = [
        y for x, y in zip(traces["measured"].x, traces["measured"].y, strict=True) if abs(x) < 4.5
    ]
    assert set(middle) == {0.0}


def test_a_density_that_is_endless_at_its_bounds_leaves_the_bars_visible() -> None:
    report = initialize(Initialize(initializer="orthogonal_", shape=(2, 2)))
    bars, theory = figures.values(report, LIGHT, WORDS).data

    assert max(bars.y) > 50
    assert max(theory.y) <= 218


def test_the_right_fan_has_a_curve_of_its_own_only_where_torchs_is_wrong() -> None:
    wrong, right = (
        figures.fans(count_fans(CountFans(layout=layout)), LIGHT, WORDS)
        for layout in (Layout.MY_LINEAR, Layout.LINEAR)
    )

    assert [trace.name for trace in wrong.data] == ["measured", "theory", "theory"]
    assert [trace.name for trace in right.data] == ["measured", "theory"]
    assert max(wrong.data[1].y) > max(wrong.data[2].y)


def test_every_parameter_has_a_lane_until_they_are_too_many() -> None:
    few = figures.layers(apply_to_all(ApplyToAll(recipe=Recipe.CONSTANT)), LIGHT, WORDS)
    report = apply_to_all(ApplyToAll(network=TRANSFORMER.to_json()))
    many = figures.layers(report, DARK, WORDS)

    assert [text for text in texts(few) if text.startswith("<b>")] == [
        "<b>0.weight</b>",
        "<b>0.bias</b>",
        "<b>2.weight</b>",
        "<b>2.bias</b>",
    ]
    assert f"… and {len(report.rows) - 8} more parameters" in texts(many)


def test_ten_million_values_make_a_picture_of_less_than_ten_kilobytes() -> None:
    report = initialize(Initialize(initializer="normal_", shape=(2500, 4000)))

    assert len(figures.values(report, LIGHT, WORDS).to_json()) < 10_000
