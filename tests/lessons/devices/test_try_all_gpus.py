import pytest

from playground.lessons.devices.try_all_gpus import TryAllGpus
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize("gpus", [0, 1, 3])
def test_the_list_is_empty_where_its_docstring_promises_the_cpu(gpus):
    found = answer_once(TryAllGpus(physical_gpus=gpus))
    names = [f"cuda:{index}" for index in range(gpus)]

    assert found.facts["devices"] == f"[{', '.join(names)}]"
    assert found.prediction == ("works" if gpus else "IndexError")
    assert found.facts["device"] == ("cuda:0" if gpus else None)


def test_the_fix_keeps_the_promise():
    fix = ("    return gpus", '    return gpus or [torch.device("cpu")]')
    assert_answer(TryAllGpus(), fix=fix)
    assert_answer(TryAllGpus(is_fixed=True), devices="[cpu]", device="cpu")
    assert_answer(TryAllGpus(physical_gpus=2, is_fixed=True), devices="[cuda:0, cuda:1]")
