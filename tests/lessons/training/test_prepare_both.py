import pytest

from playground.lessons.training.prepare_both import BatchLine, ModelLine, PrepareBoth
from playground.machines import Machine
from tests.answers import assert_answer


@pytest.mark.parametrize("model_line", ModelLine)
@pytest.mark.parametrize("batch_line", BatchLine)
def test_both_or_neither(model_line, batch_line):
    model, batch = (
        "cuda:0" if line.name in ("PREPARED", "KEPT") else "cpu"
        for line in (model_line, batch_line)
    )
    step = PrepareBoth(model_line=model_line, batch_line=batch_line)

    assert_answer(step, model_device=model, batch_device=batch)
    if model == batch:
        assert_answer(step, prediction="works", is_silent=model == "cpu")
    else:
        assert_answer(step, prediction="RuntimeError", says="same device", has_fix=True)


def test_the_copy_that_is_lost_is_assigned_by_the_fix():
    fix = ("trainer.prepare_batch(batch)", "batch = trainer.prepare_batch(batch)")

    assert_answer(PrepareBoth(), fix=fix)
    assert_answer(PrepareBoth(is_fixed=True), prediction="works")


def test_without_a_gpu_anything_works_and_nothing_failed():
    assert_answer(PrepareBoth(machine=Machine(gpus=0)), prediction="works", is_silent=False)
