import pytest
import torch

from playground.lessons.tensors.uninitialized_memory import UninitializedMemory, sampled
from playground.steps import Labels
from tests.answers import answer


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_every_element_is_counted_once(device):
    found = answer(UninitializedMemory(device=device, elements=4096))

    counts = [int(str(value).replace("\u202f", "")) for value in found.facts.values()]
    assert sum(counts) == 4096
    sevens, zeros, _ = counts
    expected = "zeros" if zeros >= 0.99 * 4096 else "mixture"
    assert found.prediction == ("sevens" if sevens >= 0.99 * 4096 else expected)


def test_a_sample_shows_what_elements_hold():
    y = torch.full((4096,), 7.0)
    y[1024:2048] = 0
    y[2048:3072] = 0.5

    assert sampled(y) == "7" * 256 + "0" * 256 + "?" * 256 + "7" * 256


def test_a_few_words_of_the_allocator_leave_nearly_all_sevens(monkeypatch):
    memory = torch.full((16384,), 7.0)
    memory[:8] = 3e-41
    monkeypatch.setattr(torch, "empty", lambda *_, **__: memory)

    found = answer(UninitializedMemory(elements=16384))

    assert (found.prediction, found.facts["others"]) == ("sevens", "8")


def test_the_picture_has_one_cell_for_each_element_of_the_sample():
    step = UninitializedMemory()
    picture = step.picture(answer(step), Labels({"others": "other"}))

    assert picture.values["cells"] == 32 * 32
