"""What this lesson runs: the Trainer of ``playground.training`` on points drawn on the spot."""

import time

import torch

from playground.compute.outcome import attempt
from playground.compute.streaming import Tell, tell_nobody
from playground.lessons.training.records import (
    ClipGradient,
    ClipGradientReport,
    Curve,
    CurvesProgress,
    Dataset,
    Optimizer,
    Plane,
    PrepareBoth,
    PrepareBothReport,
    TakeDevices,
    TakeDevicesReport,
    Train,
    TrainProgress,
    TrainReport,
    TrainTwice,
    TrainTwiceReport,
    TryRates,
    TryRatesReport,
)
from playground.machines import Machine, MachineKind
from playground.machines.host import running_on
from playground.training import points as shapes
from playground.training.classifier import Classifier
from playground.training.points import Points
from playground.training.trainer import Trainer

TELL_SECONDS = 0.05
SHAPES = {
    Dataset.MOONS: shapes.moons,
    Dataset.CIRCLES: shapes.circles,
    Dataset.SPIRALS: shapes.spirals,
    Dataset.BLOBS: shapes.blobs,
}


def take_devices(settings: TakeDevices) -> TakeDevicesReport:
    """Let a Trainer prepare a model and a batch."""
    with running_on(settings.machine):
        trainer = Trainer(max_epochs=1, num_gpus=settings.num_gpus)
        model, points = _first_model(), Points(shapes.moons, 2, seed=0)
        trainer.prepare_model(model)
        X, _ = points.train
        prepared, _ = trainer.prepare_batch(points.train)
        return TakeDevicesReport(
            available=torch.cuda.device_count(),
            gpus=tuple(map(str, trainer.gpus)),
            model_device=str(next(model.parameters()).device),
            given_batch_device=str(X.device),
            prepared_batch_device=str(prepared.device),
        )


def prepare_both(settings: PrepareBoth) -> PrepareBothReport:
    """Feed a batch to a model, each moved or not."""
    with running_on(settings.machine):
        trainer = Trainer(max_epochs=1, num_gpus=1)
        model, batch = _first_model(), Points(shapes.moons, 2, seed=0).train
        if settings.prepares_model:
            trainer.prepare_model(model)
        if settings.prepares_batch:
            batch = trainer.prepare_batch(batch)
        X, y = batch
        _, outcome = attempt(lambda: model.loss(model(X), y).item())
        return PrepareBothReport(
            outcome=outcome,
            model_device=str(next(model.parameters()).device),
            batch_device=str(X.device),
        )


def train(settings: Train, tell: Tell[TrainProgress] = tell_nobody) -> TrainReport:
    """Train, and tell after an epoch what it has come to."""
    with running_on(_host(settings)):
        trainer, model, points = _prepare(settings)
        has_time = not _host(settings).is_simulated
        told_at, told_epochs = time.perf_counter(), 0

        def report_epoch(trainer: Trainer) -> None:
            nonlocal told_at, told_epochs
            epochs = len(trainer.losses)
            passed = time.perf_counter() - told_at
            if passed < TELL_SECONDS and epochs < settings.epochs:
                return
            steps = (epochs - told_epochs) * trainer.steps // epochs
            tell(
                TrainProgress(
                    epochs=settings.epochs,
                    losses=tuple(trainer.losses),
                    accuracies=tuple(trainer.accuracies),
                    plane=_look_at(trainer, points),
                    step_ms=passed / steps * 1e3 if has_time else None,
                )
            )
            told_at, told_epochs = time.perf_counter(), epochs

        trainer.fit(model, points, report_epoch)
        return TrainReport(
            devices=tuple(map(str, trainer.gpus)) or ("cpu",),
            model_device=str(next(model.parameters()).device),
            losses=tuple(trainer.losses),
            accuracies=tuple(trainer.accuracies),
            plane=_look_at(trainer, points),
            parameters=sum(each.numel() for each in model.parameters()),
            steps=trainer.steps,
            clipped_steps=trainer.clipped_steps,
        )


def train_twice(settings: TrainTwice, tell: Tell[CurvesProgress] = tell_nobody) -> TrainTwiceReport:
    """Train on the CPU, then on the first GPU."""
    with running_on(settings.machine):
        device = "cuda:0" if torch.cuda.device_count() else "cpu"
    second = "cpu (2)" if device == "cpu" else device
    runs = {"cpu": settings.run(num_gpus=0), second: settings.run(num_gpus=1)}
    return TrainTwiceReport(
        curves=_curves(runs, tell), device=device, is_simulated=settings.machine.is_simulated
    )


def try_rates(settings: TryRates, tell: Tell[CurvesProgress] = tell_nobody) -> TryRatesReport:
    """Train at each learning rate."""
    runs = {f"{rate:g}": settings.run(rate) for rate in settings.RATES}
    return TryRatesReport(curves=_curves(runs, tell))


def clip_gradient(settings: ClipGradient) -> ClipGradientReport:
    """Clip the gradient of a multiplied loss."""
    torch.manual_seed(settings.seed)
    model = _first_model()
    X, y = Points(shapes.moons, 2, settings.seed).train
    trainer = Trainer(max_epochs=1)
    trainer.prepare_model(model)
    (settings.factor * model.loss(model(X), y)).backward()
    before = _gradient(model)
    trainer.clip_gradients(settings.gradient_clip)
    after = _gradient(model)
    return ClipGradientReport(
        most=settings.gradient_clip,
        before=before.norm().item(),
        after=after.norm().item(),
        cosine=torch.cosine_similarity(before, after, dim=0).item(),
    )


def _host(settings: Train) -> Machine:
    """Who wants no GPU needs no simulated host: the CPU then takes the time that it takes."""
    return settings.machine if settings.num_gpus else Machine(kind=MachineKind.REAL)


def _first_model() -> Classifier:
    return Classifier(num_classes=2, optimizer=Optimizer.SGD, lr=0.1)


def _gradient(model: Classifier) -> torch.Tensor:
    grads = [each.grad for each in model.parameters() if each.grad is not None]
    return torch.cat([grad.flatten() for grad in grads])


def _prepare(settings: Train) -> tuple[Trainer, Classifier, Points]:
    torch.manual_seed(settings.seed)
    classes = settings.dataset.num_classes
    points = Points(SHAPES[settings.dataset], classes, settings.seed)
    model = Classifier(classes, settings.optimizer, settings.learning_rate)
    return Trainer(settings.epochs, settings.num_gpus, settings.gradient_clip), model, points


def _curves(runs: dict[str, Train], tell: Tell[CurvesProgress]) -> tuple[Curve, ...]:
    """Train one after another, and tell how far all are."""
    epochs = sum(run.epochs for run in runs.values())
    done: tuple[Curve, ...] = ()
    for name, run in runs.items():

        def report(trainer: Trainer, name: str = name, done: tuple[Curve, ...] = done) -> None:
            if len(trainer.losses) % 2 == 0 or len(trainer.losses) == trainer.max_epochs:
                growing = Curve(name=name, losses=tuple(trainer.losses))
                tell(CurvesProgress(epochs=epochs, curves=(*done, growing)))

        with running_on(_host(run)):
            trainer, model, points = _prepare(run)
            trainer.fit(model, points, report)
        done = (*done, Curve(name=name, losses=tuple(trainer.losses)))
    return done


@torch.no_grad()
def _look_at(trainer: Trainer, points: Points) -> Plane:
    """Ask the model about every place of the plane."""
    axis = torch.linspace(-Plane.REACH, Plane.REACH, Plane.CELLS)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    places = torch.stack((x.flatten(), y.flatten()), 1)
    trainer.model.eval()
    X, _ = trainer.prepare_batch((places, places))
    digits = "".join(map(str, trainer.model(X).argmax(1).tolist()))
    cells = Plane.CELLS
    X, labels = points.train
    return Plane(
        points=tuple(
            (round(x, 3), round(y, 3), label)
            for (x, y), label in zip(X.tolist(), labels.tolist(), strict=True)
        ),
        classes=tuple(digits[row * cells : (row + 1) * cells] for row in range(cells)),
    )
