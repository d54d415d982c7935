"""The measurement: sizes in closed form, medians of given times."""

from playground.lessons.save_and_load.formats import Formats
from tests.answers import answer


def test_both_files_hold_the_numbers_and_a_frame():
    found = answer(Formats(tensors=5, numbers=1000))

    assert found.outcome.ok
    for each in found.data:
        assert 0 < each.file_bytes - 5 * 1000 * 4 < 5 * 1024
        assert each.saving_ms > 0
        assert each.loading_ms > 0


def test_the_medians_decide_and_a_quarter_does_not_count():
    def measured(*loading: tuple[float, float]) -> str:
        printed = [f"weights.pt 1 {one}\nweights.safetensors 1 {two}\n" for one, two in loading]
        return Formats().measured(printed, [10, 9]).prediction

    assert measured((4, 1), (4, 1), (1, 4)) == "safetensors"
    assert measured((1, 4), (1, 4), (4, 1)) == "torch"
    assert measured((1, 1.2), (1, 1.2), (1, 9)) == "about_equal"
