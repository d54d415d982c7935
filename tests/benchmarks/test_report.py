from benchmarks import report
from benchmarks.figure import Budget, Figure, Judged, Section
from benchmarks.sample import Sample


def section(most: float) -> Section:
    figure = Figure(
        id="rerun.home",
        what="home, whole",
        unit="ms",
        sample=Sample((30.0, 30.0)),
        empty=Sample((5.0,)),
        budget=Budget(judged=Judged.RATIO, most=most),
    )
    return Section(
        title="Rerun", how="With a stopwatch.", figures=(figure,), remarks=("No error.",)
    )


def test_a_row_names_median_ratio_budget_and_verdict() -> None:
    (figure,) = section(6).figures

    assert report.row(figure) == (
        "home, whole",
        "30 ms",
        "30 ms",
        "5 ms",
        "6.00",
        "≤ 6 × empty",
        "met",
    )


def test_rows_of_a_table_are_equally_wide() -> None:
    lines = report.table(("what", "median"), [("a", "1 ms"), ("a longer one", "1000 ms")])

    assert len({len(line) for line in lines.splitlines()}) == 1


def test_the_document_counts_the_budgets_and_names_the_machine() -> None:
    text = report.document([section(6), section(5)], "two cores", {"rerun.home": "It is long."})

    assert "**1 of 2 budgets met.**" in text
    assert "Measured on two cores." in text
    assert "With a stopwatch." in text


def test_a_reason_given_by_a_person_survives_rewriting() -> None:
    text = report.document([section(5)], "two cores", {"rerun.home": "It is long."})

    assert "home, whole: It is long. (`rerun.home`)" in text


def test_a_missing_reason_is_asked_for() -> None:
    assert report.NO_REASON in report.document([section(5)], "two cores", {})


def test_a_met_budget_needs_no_reason() -> None:
    assert "It is long." not in report.document([section(6)], "two", {"rerun.home": "It is long."})


def test_the_reasons_on_file_can_be_read() -> None:
    assert all(isinstance(reason, str) for reason in report.read_reasons().values())


def parts() -> tuple[str, str]:
    machine, none = "two cores", dict[str, str]()
    return report.document([section(6)], machine, none), report.class_part(
        [section(5)], machine, none
    )


def test_each_command_rewrites_its_own_part_of_the_file_alone() -> None:
    rest, of_class = parts()
    whole = report.with_class_part(rest, of_class)

    assert whole.startswith(rest.strip())
    assert report.kept_class_part(whole) == of_class
    renewed = of_class.replace("With a stopwatch.", "With another one.")
    assert report.with_class_part(whole, renewed) == whole.replace(of_class, renewed)
    again = report.with_class_part(rest, report.kept_class_part(whole))  # what make bench does
    assert again == whole


def test_a_file_without_the_other_part_is_written_too() -> None:
    rest, of_class = parts()

    assert report.kept_class_part(rest) == ""
    assert report.with_class_part(rest, "") == rest
    assert report.with_class_part("", of_class) == of_class


def test_the_part_of_the_class_counts_its_own_budgets_and_says_once_how() -> None:
    text = report.class_part([section(6), section(5)], "two cores", {})

    assert "**1 of 2 budgets met.**" in text
    assert text.count("With a stopwatch.") == 1
