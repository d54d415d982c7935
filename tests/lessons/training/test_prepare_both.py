import pytest

from playground.lessons.training.prepare_both import BatchLine, ModelLine, PrepareBoth
from playground.machines import Machine
from tests.answers import answer_once


@pytest.mark.parametrize("model_line", ModelLine)
@pytest.mark.parametrize("batch_line", BatchLine)
def test_both_or_neither(model_line, batch_line):
    answer = answer_once(PrepareBoth(model_line=model_line, batch_line=batch_line))

    places = [
        "cuda:0" if line.name in ("PREPARED", "KEPT") else "cpu"
        for line in (model_line, batch_line)
    ]
    assert [answer.facts["model_device"], answer.facts["batch_device"]] == places
    if places[0] == places[1]:
        assert answer.prediction == "works"
        assert answer.is_silent_failure == (places == ["cpu", "cpu"])
    else:
        assert answer.prediction == "RuntimeError"
        assert "same device" in answer.outcome.message
        assert answer.fix is not None


def test_the_copy_that_is_lost_is_assigned_by_the_fix():
    answer = answer_once(PrepareBoth())

    assert answer.fix == ("trainer.prepare_batch(batch)", "batch = trainer.prepare_batch(batch)")
    assert answer_once(PrepareBoth(is_fixed=True)).prediction == "works"


def test_without_a_gpu_anything_works_and_nothing_failed():
    answer = answer_once(PrepareBoth(machine=Machine(gpus=0)))

    assert answer.prediction == "works"
    assert not answer.is_silent_failure
