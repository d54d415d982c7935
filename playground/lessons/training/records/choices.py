"""The closed choices of this lesson, and the bounds that its settings share."""

from enum import StrEnum, unique

MOST_EPOCHS = 300
MOST_GPUS = 8
MOST_SEED = 9999
EPOCHS = {"least": 1, "most": MOST_EPOCHS}
RATES = {"least": 0.0001, "most": 10.0}
CLIPS = {"least": 0.0, "most": 10.0}
SEEDS = {"least": 0, "most": MOST_SEED}


@unique
class Dataset(StrEnum):
    """Points in the plane, drawn on the spot."""

    MOONS = "moons"
    CIRCLES = "circles"
    SPIRALS = "spirals"
    BLOBS = "blobs"

    @property
    def num_classes(self) -> int:
        """How many classes its points have."""
        return 3 if self is Dataset.BLOBS else 2


@unique
class Optimizer(StrEnum):
    """A class of ``torch.optim``."""

    SGD = "SGD"
    ADAM = "Adam"
    RMSPROP = "RMSprop"


@unique
class SecondRun(StrEnum):
    """Which seed the second of two runs has."""

    SAME_SEED = "same_seed"
    OTHER_SEED = "other_seed"
