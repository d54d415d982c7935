from benchmarks import inspect_cost, overhead, trace_cost
from benchmarks.figure import Verdict
from benchmarks.overhead import figures


def test_name_and_unit_come_from_the_key() -> None:
    boot, median = figures("compute", "workers", {"boot_s": 1.5, "overhead_median_ms": 11.0})

    assert (boot.what, boot.unit, boot.sample.median) == ("workers: boot", "s", 1.5)
    assert median.unit == "ms"
    assert median.verdict is Verdict.NOT_MET


def test_a_key_without_a_unit_is_a_plain_number() -> None:
    (figure,) = figures("simulated", "simulated devices", {"operations": 40})

    assert (figure.what, figure.unit) == ("simulated devices: operations", "")


def test_every_traced_network_has_a_budget_and_a_ratio() -> None:
    found = trace_cost.measure(turns=1)

    for figure in figures("trace", "traces", found):
        if figure.unit == "×":
            assert figure.budget is overhead.NO_SLOWER
            assert figure.sample.median > 0
    assert tuple(trace_cost.NETWORKS) == overhead.TRACED


def test_every_inspected_file_has_its_budgets() -> None:
    names = overhead.INSPECTED[2:]  # the quick ones

    found = {f"inspect.{key}" for key in inspect_cost.measure(turns=1, names=names)}

    assert tuple(inspect_cost.FILES) == overhead.INSPECTED
    for name in names:
        assert {key for key in overhead.BUDGETS if f".{name}_" in key} < found
