import pytest
import torch
from torch import nn

from playground.machines import Machine
from playground.machines.machine_context import running_on
from playground.training.points import BATCH_SIZE, Points, blobs, circles, moons, spirals
from playground.training.trainer import Classifier, Trainer

SHAPES = [(moons, 2), (circles, 2), (spirals, 2), (blobs, 3)]


def fitted(epochs=3, optimizer="SGD", lr=0.1, clip=0.0, num_gpus=0, seed=0, shape=moons, classes=2):
    torch.manual_seed(seed)
    trainer = Trainer(epochs, num_gpus, clip)
    trainer.fit(Classifier(classes, optimizer, lr), Points(shape, classes, seed))
    return trainer


def plain_loop(epochs, name, lr=0.1, *, clip=0.0, seed=0, shape=moons, classes=2):
    """The textbook's loop, without the Trainer: its losses, accuracies and last parameters."""
    torch.manual_seed(seed)
    points = Points(shape, classes, seed)
    net = nn.Sequential(
        nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, classes)
    )
    optimizer = getattr(torch.optim, name)(net.parameters(), lr=lr)
    (X, y), (X_val, y_val) = points.train, points.val
    losses, accuracies = [], []
    for _ in range(epochs):
        total = 0.0
        for chosen in torch.randperm(240, generator=points.generator).split(BATCH_SIZE):
            loss = nn.functional.cross_entropy(net(X[chosen]), y[chosen])
            optimizer.zero_grad()
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(net.parameters(), clip)
            optimizer.step()
            total += loss.item() * len(chosen)
        losses.append(total / 240)
        with torch.no_grad():
            hits = (net(X_val).argmax(1) == y_val).double().mean()
        accuracies.append(hits.item())
    return losses, accuracies, list(net.parameters())


@pytest.mark.parametrize(("shape", "classes"), SHAPES)
@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_the_curve_is_that_of_a_plain_loop_bit_for_bit(shape, classes, name):
    losses, accuracies, parameters = plain_loop(20, name, seed=7, shape=shape, classes=classes)

    trainer = fitted(20, name, seed=7, shape=shape, classes=classes)

    assert trainer.losses == losses
    assert trainer.accuracies == pytest.approx(accuracies, abs=0)
    for mine, plain in zip(trainer.model.parameters(), parameters, strict=True):
        assert torch.equal(mine, plain)


def test_clipping_agrees_with_torchs_own_at_large_gradients_and_at_small_ones():
    losses, *_ = plain_loop(3, "SGD", lr=1.0, clip=0.5)

    trainer = fitted(3, lr=1.0, clip=0.5)

    torch.testing.assert_close(trainer.losses, losses, rtol=1e-4, atol=1e-5)
    assert 0 < trainer.clipped_steps < trainer.steps == 18


@pytest.mark.parametrize(("wanted", "there"), [(0, 2), (1, 2), (2, 2), (5, 2), (3, 0), (8, 8)])
def test_it_takes_the_first_gpus_that_are_there(wanted, there):
    with running_on(Machine(gpus=there)):
        trainer = Trainer(max_epochs=1, num_gpus=wanted)

        assert [str(gpu) for gpu in trainer.gpus] == [
            f"cuda:{number}" for number in range(min(wanted, there))
        ]


@pytest.mark.parametrize(("wanted", "device"), [(0, "cpu"), (1, "cuda:0"), (2, "cuda:0")])
def test_model_optimizer_state_and_batches_are_on_the_first_gpu(wanted, device):
    with running_on(Machine(gpus=2)):
        trainer = fitted(1, "Adam", num_gpus=wanted)

        assert {str(each.device) for each in trainer.model.parameters()} == {device}
        moments = [state["exp_avg"] for state in trainer.optimizer.state.values()]
        assert {str(each.device) for each in moments} == {device}
        given = torch.ones(2, 2), torch.ones(2)
        assert {str(each.device) for each in trainer.prepare_batch(given)} == {device}
        assert {str(each.device) for each in given} == {"cpu"}


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "RMSprop"])
@pytest.mark.parametrize("clip", [0.0, 0.5])
def test_cpu_and_simulated_gpu_give_the_same_curve(optimizer, clip):
    on_cpu = fitted(5, optimizer, clip=clip)

    with running_on(Machine(gpus=2)):
        on_gpu = fitted(5, optimizer, clip=clip, num_gpus=1)

    torch.testing.assert_close(on_gpu.losses, on_cpu.losses, rtol=1e-5, atol=1e-6)
    assert on_gpu.accuracies == on_cpu.accuracies


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_cpu_and_real_gpu_give_the_same_curve_within_rounding():
    torch.testing.assert_close(fitted(5, num_gpus=1).losses, fitted(5).losses, rtol=1e-3, atol=1e-4)


def test_what_on_epoch_raises_ends_the_training():
    def stop(trainer):
        if len(trainer.losses) == 2:
            raise RuntimeError("enough")

    trainer = Trainer(max_epochs=5)
    with pytest.raises(RuntimeError, match="enough"):
        trainer.fit(Classifier(2, "SGD", 0.1), Points(moons, 2, 0), stop)

    assert len(trainer.losses) == 2


@pytest.mark.parametrize(("shape", "classes"), SHAPES)
def test_points_come_from_their_seed_and_have_all_classes(shape, classes):
    torch.manual_seed(123)  # the global generator has no say
    first, same, other = (Points(shape, classes, seed) for seed in (1, 1, 2))

    assert torch.equal(first.train[0], same.train[0])
    assert not torch.equal(first.train[0], other.train[0])
    assert first.train[1].unique().tolist() == list(range(classes))
    assert len(first.train[1]) == 240
    assert len(first.val[1]) == 120
    assert not {*map(tuple, first.train[0].tolist())} & {*map(tuple, first.val[0].tolist())}
    assert first.train[0].abs().max() < 1.6
