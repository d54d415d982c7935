"""The figures of the initialisers: what they compare, and that each budget has its figure."""

from benchmarks import initialization_cost, overhead
from benchmarks.figure import Verdict


def test_a_histogram_and_a_sweep_of_depths_are_measured_beside_bare_torch() -> None:
    found = initialization_cost.measure(turns=1, shape=(20, 30), depths=(2, 3))

    assert all(value > 0 for value in found.values())
    for name in ("histogram", "depth_sweep"):
        assert {f"{name}_s", f"{name}_in_bare_torch_s", f"{name}_over_bare_torch_ratio"} <= set(
            found
        )
    rows = {each.id: each for each in overhead.figures("initialization", "initialisers", found)}
    budgeted = {each for each in overhead.BUDGETS if each.startswith("initialization.")}
    assert budgeted == {name for name, each in rows.items() if each.budget}
    assert rows["initialization.picture_kb"].unit == "kB"
    assert rows["initialization.picture_kb"].verdict is Verdict.MET  # whatever the tensor's size
