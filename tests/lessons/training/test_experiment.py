import dataclasses
import math

import pytest
import torch
from torch import nn

from playground import catalog, compute
from playground.errors import InvalidSettingError
from playground.lessons.training import challenges, experiment
from playground.lessons.training.records import (
    ClipGradient,
    Dataset,
    Optimizer,
    Plane,
    PrepareBoth,
    SecondRun,
    TakeDevices,
    Train,
    TrainTwice,
    TryRates,
)
from playground.machines import Machine, MachineKind
from playground.training.points import Points, moons
from tests.turns import in_turn

TWO = Machine(gpus=2)
NONE = Machine(kind=MachineKind.REAL)
FEW = Train(epochs=4)


def plain_losses(epochs: int, seed: int, lr: float = 0.3) -> list[float]:
    torch.manual_seed(seed)
    points = Points(moons, 2, seed)
    net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=lr)
    X, y = points.train
    losses = []
    for _ in range(epochs):
        parts = []
        for chosen in torch.randperm(240, generator=points.generator).split(40):
            optimizer.zero_grad()
            loss = nn.CrossEntropyLoss()(net(X[chosen]), y[chosen])
            loss.backward()
            optimizer.step()
            parts.append(loss.item() * 40)
        losses.append(sum(parts) / 240)
    return losses


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("num_gpus", [0, 1])
def test_the_curve_is_that_of_a_plain_loop_bit_for_bit(seed, num_gpus):
    report = experiment.train(Train(machine=TWO, num_gpus=num_gpus, seed=seed, epochs=20))

    assert list(report.losses) == plain_losses(20, seed)


@pytest.mark.parametrize("machine", [TWO, Machine(gpus=0), NONE])
@pytest.mark.parametrize("num_gpus", [0, 1, 8])
def test_devices_are_the_first_that_are_there(machine, num_gpus):
    there = machine.gpus if machine.is_simulated else torch.cuda.device_count()

    report = experiment.train(dataclasses.replace(FEW, machine=machine, num_gpus=num_gpus))

    taken = tuple(f"cuda:{number}" for number in range(min(num_gpus, there)))
    assert report.devices == (taken or ("cpu",))
    assert report.model_device == report.devices[0]


@pytest.mark.parametrize("dataset", Dataset)
@pytest.mark.parametrize("optimizer", Optimizer)
def test_equal_settings_give_equal_reports(dataset, optimizer):
    settings = Train(dataset=dataset, optimizer=optimizer, epochs=3)

    first, second = experiment.train(settings), experiment.train(settings)

    assert first == second
    assert len(first.losses) == len(first.accuracies) == first.epochs == 3
    assert first.steps == 18
    assert first.parameters == 2 * 32 + 32 + 32 * 32 + 32 + 33 * dataset.num_classes
    assert all(0 <= each <= 1 for each in first.accuracies)


def test_the_plane_is_what_the_model_says():
    plane = experiment.train(Train(dataset=Dataset.BLOBS, num_gpus=0)).plane

    assert len(plane.points) == 240
    assert [len(row) for row in plane.classes] == [Plane.CELLS] * Plane.CELLS
    hits = 0
    for x, y, label in plane.points:  # a point has the class of the place where it lies
        row, column = (
            round((each + Plane.REACH) / (2 * Plane.REACH) * (Plane.CELLS - 1)) for each in (y, x)
        )
        hits += plane.classes[row][column] == str(label)
    assert hits >= 0.95 * len(plane.points)


def test_training_tells_what_the_report_says_and_the_time_of_a_step():
    told = []

    report = experiment.train(Train(num_gpus=0, epochs=30), told.append)

    last = told[-1]
    assert last.fraction == 1
    assert (last.losses, last.accuracies, last.plane) == (
        report.losses,
        report.accuracies,
        report.plane,
    )
    assert all(each.step_ms > 0 for each in told)
    assert [each.losses for each in told] == [report.losses[: len(each.losses)] for each in told]


def test_who_listens_changes_nothing():
    heard = []

    assert experiment.train(FEW, heard.append) == experiment.train(FEW)


def test_simulated_devices_are_not_timed():
    told = []

    experiment.train(FEW, told.append)

    assert {each.step_ms for each in told} == {None}
    assert "step_ms" not in told[-1].facts
    labels = catalog.lesson("training").labels
    assert "simulated" in labels["no_step_ms"].en
    assert told[-1].facts["no_step_ms"] is None


def test_a_report_knows_no_time():
    names = {field.name for field in dataclasses.fields(experiment.train(FEW))}

    assert not any("ms" in name or "seconds" in name for name in names)


def test_it_streams_and_can_be_stopped(monkeypatch):
    monkeypatch.setattr(experiment, "TELL_SECONDS", 0.0)  # a report after each epoch

    with compute.running_inline(), compute.stream(Train(epochs=300)) as stream:
        assert next(stream).fraction == 1 / 300


def test_a_rate_that_is_too_large_is_a_result():
    report = experiment.train(Train(learning_rate=10, optimizer=Optimizer.SGD, epochs=20))

    assert report.why in ("diverged", "not_learned")
    assert report.losses[-1] > 0.1 or math.isnan(report.losses[-1])


def test_clipping_counts_the_steps_it_touched():
    free, clipped = (
        experiment.train(Train(epochs=5, gradient_clip=limit)) for limit in (0.0, 0.05)
    )

    assert free.clipped_steps == 0
    assert 0 < clipped.clipped_steps <= clipped.steps
    assert free.losses != clipped.losses


@pytest.mark.parametrize(
    ("machine", "wanted", "gpus", "device"),
    [
        (TWO, 4, ("cuda:0", "cuda:1"), "cuda:0"),
        (TWO, 1, ("cuda:0",), "cuda:0"),
        (TWO, 0, (), "cpu"),
        (Machine(gpus=0), 3, (), "cpu"),
    ],
)
def test_the_trainer_takes_what_is_there_and_uses_the_first(machine, wanted, gpus, device):
    report = experiment.take_devices(TakeDevices(machine=machine, num_gpus=wanted))

    assert report.gpus == gpus
    assert report.model_device == report.prepared_batch_device == device
    assert report.given_batch_device == "cpu"


@pytest.mark.parametrize("moves_model", [True, False])
@pytest.mark.parametrize("moves_batch", [True, False])
def test_both_or_neither(moves_model, moves_batch):
    report = experiment.prepare_both(
        PrepareBoth(machine=TWO, prepares_model=moves_model, prepares_batch=moves_batch)
    )

    assert report.outcome.ok == (moves_model == moves_batch)
    if not report.outcome.ok:
        assert report.outcome.error_type == "RuntimeError"
        assert "same device" in report.outcome.message


@pytest.mark.parametrize(
    ("machine", "second", "actual", "why"),
    [
        (TWO, SecondRun.SAME_SEED, "bits", "simulated_bits"),
        (TWO, SecondRun.OTHER_SEED, "different", "different_seed"),
        (Machine(gpus=0), SecondRun.SAME_SEED, "bits", "both_on_cpu"),
    ],
)
def test_the_same_seed_gives_the_same_curve_on_another_device(machine, second, actual, why):
    told = []
    settings = TrainTwice(machine=machine, second=second, epochs=10)

    report = experiment.train_twice(settings, told.append)

    assert (report.actual, report.why) == (actual, why)
    assert told[-1].curves == report.curves
    assert told[-1].fraction == 1
    assert list(report.curves[0].losses) == plain_losses(10, 0)
    if actual == "different":
        assert list(report.curves[1].losses) == plain_losses(10, 1)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_a_real_gpu_gives_the_same_curve_within_rounding():
    report = experiment.train_twice(TrainTwice(machine=NONE))

    assert report.device == "cuda:0"
    assert report.actual in ("bits", "close")


def test_each_rate_is_a_run_of_its_own():
    report = experiment.try_rates(TryRates(epochs=5))

    assert [curve.name for curve in report.curves] == ["0.001", "0.01", "0.1", "1"]
    assert list(report.curves[2].losses) == plain_losses(5, 0, lr=0.1)
    last = {curve.name: curve.losses[-1] for curve in report.curves}
    assert report.actual == min(last, key=last.get)


def test_a_run_that_diverged_is_never_the_best():
    report = experiment.try_rates(TryRates(epochs=2))
    broken = dataclasses.replace(report.curves[3], losses=(1.0, math.nan))

    told = dataclasses.replace(report, curves=(*report.curves[:3], broken))

    assert told.actual != "1"


@pytest.mark.parametrize(("factor", "actual"), [(1, "unchanged"), (100, "the_limit")])
def test_clipping_shortens_a_gradient_and_keeps_its_direction(factor, actual):
    report = experiment.clip_gradient(ClipGradient(factor=factor))

    assert report.actual == actual
    assert report.cosine == pytest.approx(1)
    assert report.after == pytest.approx(min(report.before, 1.0))


@in_turn(
    ("kind", "values"),
    [
        (Train, {"epochs": 0}),
        (Train, {"epochs": 301}),
        (Train, {"learning_rate": 0.0}),
        (Train, {"learning_rate": math.nan}),
        (Train, {"gradient_clip": -1.0}),
        (Train, {"num_gpus": 9}),
        (Train, {"seed": -1}),
        (Train, {"dataset": "stars"}),
        (Train, {"optimizer": "LBFGS"}),
        (TakeDevices, {"num_gpus": -1}),
        (TrainTwice, {"second": "both"}),
        (TryRates, {"epochs": 101}),
        (ClipGradient, {"gradient_clip": 0.0}),
    ],
)
def test_what_is_out_of_bounds_is_refused(kind, values):
    with pytest.raises(InvalidSettingError) as told:
        kind(**values)

    assert told.value.field == next(iter(values))


def test_a_curve_that_did_not_diverge_is_no_answer_to_the_challenge():
    assert not challenges.largest_rate_is_no_best(experiment.try_rates(TryRates(epochs=3)))
