import pytest

from playground.lessons.devices.try_all_gpus import TryAllGpus
from tests.answers import assert_answer


@pytest.mark.parametrize("gpus", [0, 1, 3])
def test_the_list_is_empty_where_its_docstring_promises_the_cpu(gpus):
    names = [f"cuda:{index}" for index in range(gpus)]
    prediction, device = ("works", "cuda:0") if gpus else ("IndexError", None)

    step = TryAllGpus(physical_gpus=gpus)
    assert_answer(step, devices=f"[{', '.join(names)}]", prediction=prediction, device=device)


def test_the_fix_keeps_the_promise():
    assert_answer(TryAllGpus(), fix=("    return gpus", '    return gpus or [torch.device("cpu")]'))
    assert_answer(TryAllGpus(is_fixed=True), devices="[cpu]", device="cpu")
    assert_answer(TryAllGpus(physical_gpus=2, is_fixed=True), devices="[cuda:0, cuda:1]")
