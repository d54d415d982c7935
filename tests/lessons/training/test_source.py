import ast
import inspect
import textwrap

import pytest

from playground.lessons.training import experiment, source
from playground.lessons.training.records import (
    ClipGradient,
    Dataset,
    Optimizer,
    PrepareBoth,
    SecondRun,
    TakeDevices,
    Train,
    TrainTwice,
    TryRates,
)
from playground.machines import Machine
from playground.training import trainer
from tests.programs import run_program

HOST = Machine()


@pytest.mark.parametrize("num_gpus", [0, 1, 4])
def test_take_devices(num_gpus):
    settings = TakeDevices(num_gpus=num_gpus)

    result, outcome = run_program(source.take_devices(settings), HOST)

    assert outcome.ok
    assert result == experiment.take_devices(settings).model_device


@pytest.mark.parametrize("moves_model", [True, False])
@pytest.mark.parametrize("moves_batch", [True, False])
def test_prepare_both(moves_model, moves_batch):
    settings = PrepareBoth(prepares_model=moves_model, prepares_batch=moves_batch)

    result, outcome = run_program(source.prepare_both(settings), HOST)

    report = experiment.prepare_both(settings)
    assert outcome == report.outcome
    assert result == (report.batch_device if outcome.ok else None)


@pytest.mark.parametrize(
    "settings",
    [
        Train(epochs=4),
        Train(num_gpus=0, epochs=5, seed=4),
        Train(dataset=Dataset.BLOBS, optimizer=Optimizer.ADAM, learning_rate=0.01, epochs=3),
        Train(dataset=Dataset.SPIRALS, optimizer=Optimizer.RMSPROP, gradient_clip=0.5, epochs=3),
        Train(dataset=Dataset.CIRCLES, num_gpus=2, epochs=3),
    ],
)
def test_train(settings):
    result, outcome = run_program(source.train(settings), HOST)

    assert outcome.ok, outcome.message
    assert tuple(result) == experiment.train(settings).losses


@pytest.mark.parametrize("second", SecondRun)
def test_train_twice(second):
    settings = TrainTwice(second=second, epochs=4, dataset=Dataset.BLOBS)

    result, outcome = run_program(source.train_twice(settings), HOST)

    assert outcome.ok, outcome.message
    assert result == experiment.train_twice(settings).largest_difference


@pytest.mark.parametrize(
    "settings", [TryRates(epochs=3), TryRates(optimizer=Optimizer.ADAM, epochs=2, gradient_clip=1)]
)
def test_try_rates(settings):
    result, outcome = run_program(source.try_rates(settings), HOST)

    assert outcome.ok, outcome.message
    curves = experiment.try_rates(settings).curves
    assert list(map(tuple, result.values())) == [curve.losses for curve in curves]


@pytest.mark.parametrize("factor", [1, 50])
def test_clip_gradient(factor):
    settings = ClipGradient(factor=factor, gradient_clip=0.7)

    result, outcome = run_program(source.clip_gradient(settings), HOST)

    assert outcome.ok, outcome.message
    assert result == pytest.approx(experiment.clip_gradient(settings).after, rel=1e-6)


def test_the_program_shows_the_trainer_that_ran_whole_and_nothing_of_the_playground():
    program = source.train(Train())

    assert inspect.getsource(trainer.Trainer).strip() in program
    assert "playground" not in program
    assert all(len(line) <= 100 for line in program.splitlines())
    ast.parse(program)


def test_the_lines_about_clipping_are_the_trainers():
    own = textwrap.dedent(inspect.getsource(trainer.Trainer.clip_gradients))

    assert source.clip_method() == own.rstrip()
