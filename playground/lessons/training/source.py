"""The programs that the student sees: the very definitions that ran, cut from their files."""

import ast
import textwrap
from functools import cache
from pathlib import Path

from playground.lessons.training.records import (
    ClipGradient,
    Dataset,
    PrepareBoth,
    TakeDevices,
    Train,
    TrainTwice,
    TryRates,
)

ENGINE = Path(__file__).parents[2] / "training"
IMPORTS = {
    "math": "import math",
    "Callable": "from collections.abc import Callable, Iterator",
    "torch": "\nimport torch",
    "nn": "from torch import Tensor, nn",
}


def take_devices(settings: TakeDevices) -> str:
    """The program of ``TakeDevices``."""
    return _program(
        Dataset.MOONS,
        f"""\
trainer = Trainer(max_epochs=1, num_gpus={settings.num_gpus})
model = Classifier(2, "SGD", lr=0.1)
points = Points(moons, 2, seed=0)

trainer.prepare_model(model)
X, y = trainer.prepare_batch(points.train)
print([str(gpu) for gpu in trainer.gpus], X.device)
result = str(next(model.parameters()).device)
""",
    )


def prepare_both(settings: PrepareBoth) -> str:
    """The program of ``PrepareBoth``."""
    lines = [
        "trainer = Trainer(max_epochs=1, num_gpus=1)",
        'model = Classifier(2, "SGD", lr=0.1)',
        "batch = Points(moons, 2, seed=0).train",
        "",
        "trainer.prepare_model(model)" if settings.prepares_model else "",
        "batch = trainer.prepare_batch(batch)" if settings.prepares_batch else "",
        "X, y = batch",
        "model.loss(model(X), y).item()",
        "result = str(X.device)",
    ]
    text = "\n".join(line for place, line in enumerate(lines) if line or place == 3)
    return _program(Dataset.MOONS, f"{text}\n")


def train(settings: Train) -> str:
    """The program of ``Train``."""
    classes = settings.dataset.num_classes
    lr, limit = settings.learning_rate, settings.gradient_clip
    return _program(
        settings.dataset,
        f"""\
torch.manual_seed({settings.seed})
points = Points({settings.dataset}, {classes}, seed={settings.seed})
model = Classifier({classes}, "{settings.optimizer}", lr={lr:g})
trainer = Trainer({settings.epochs}, {settings.num_gpus}, gradient_clip_val={limit:g})
trainer.fit(model, points)
print(trainer.accuracies[-1])
result = trainer.losses
""",
    )


def train_twice(settings: TrainTwice) -> str:
    """The program of ``TrainTwice``."""
    first, second = settings.run(num_gpus=0), settings.run(num_gpus=1)
    classes = settings.dataset.num_classes
    return _program(
        settings.dataset,
        f"""\
def train(num_gpus, seed):
    torch.manual_seed(seed)
    model = Classifier({classes}, "{first.optimizer}", lr={first.learning_rate:g})
    trainer = Trainer({settings.epochs}, num_gpus)
    trainer.fit(model, Points({settings.dataset}, {classes}, seed))
    return trainer.losses


first = train(num_gpus=0, seed={first.seed})
second = train(num_gpus=1, seed={second.seed})
result = max(abs(one - other) for one, other in zip(first, second, strict=True))
""",
    )


def try_rates(settings: TryRates) -> str:
    """The program of ``TryRates``."""
    classes = settings.dataset.num_classes
    rates = ", ".join(f"{rate:g}" for rate in settings.RATES)
    return _program(
        settings.dataset,
        f"""\
result = {{}}
for lr in ({rates}):
    torch.manual_seed({settings.seed})
    model = Classifier({classes}, "{settings.optimizer}", lr)
    trainer = Trainer({settings.epochs}, gradient_clip_val={settings.gradient_clip:g})
    trainer.fit(model, Points({settings.dataset}, {classes}, seed={settings.seed}))
    result[lr] = trainer.losses
""",
    )


def clip_gradient(settings: ClipGradient) -> str:
    """The program of ``ClipGradient``."""
    return _program(
        Dataset.MOONS,
        f"""\
torch.manual_seed({settings.seed})
model = Classifier(2, "SGD", lr=0.1)
X, y = Points(moons, 2, seed={settings.seed}).train
trainer = Trainer(max_epochs=1)
trainer.prepare_model(model)

({settings.factor} * model.loss(model(X), y)).backward()
before = trainer.clip_gradients({settings.gradient_clip:g})
grads = [each.grad.flatten() for each in model.parameters()]
result = torch.cat(grads).norm().item()
""",
    )


def clip_method() -> str:
    """How the Trainer clips: the lines that fit on the screen."""
    text = (ENGINE / "trainer.py").read_text("utf-8")
    (trainer,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    method = next(each for each in trainer.body if getattr(each, "name", "") == "clip_gradients")
    return textwrap.dedent(ast.get_source_segment(text, method, padded=True) or "")


def _program(dataset: Dataset, ending: str) -> str:
    return "\n".join([*IMPORTS.values(), "", *_definitions(dataset), "", ending])


@cache
def _definitions(dataset: Dataset) -> tuple[str, ...]:
    """Constants, the shape of the points, and the three classes."""
    constants, found = [], []
    for name in ("points", "classifier", "trainer"):
        text = (ENGINE / f"{name}.py").read_text("utf-8")
        for node in ast.parse(text).body:
            segment = ast.get_source_segment(text, node) or ""
            if isinstance(node, ast.Assign):
                constants.append(segment)
            elif isinstance(node, ast.ClassDef) or getattr(node, "name", "") == dataset:
                found.append(f"\n\n{segment}")
    return (*constants, *found)
