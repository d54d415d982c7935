"""Step on every initializer of torch.nn.init, with measured and expected moments."""

import math
from collections.abc import Mapping
from enum import StrEnum

from playground.lessons.initialization.histogram import draw, histogram, measured
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number, seed, shown_if

TENTH, PERCENT, MOSTLY = 0.1, 0.01, 0.9


class Initializer(StrEnum):
    """The value is the function as the program calls it."""

    UNIFORM_ = "nn.init.uniform_"
    NORMAL_ = "nn.init.normal_"
    TRUNC_NORMAL_ = "nn.init.trunc_normal_"
    CONSTANT_ = "nn.init.constant_"
    ZEROS_ = "nn.init.zeros_"
    ONES_ = "nn.init.ones_"
    EYE_ = "nn.init.eye_"
    DIRAC_ = "nn.init.dirac_"
    XAVIER_UNIFORM_ = "nn.init.xavier_uniform_"
    XAVIER_NORMAL_ = "nn.init.xavier_normal_"
    KAIMING_UNIFORM_ = "nn.init.kaiming_uniform_"
    KAIMING_NORMAL_ = "nn.init.kaiming_normal_"
    ORTHOGONAL_ = "nn.init.orthogonal_"
    SPARSE_ = "nn.init.sparse_"


I = Initializer  # noqa: E741 - short for the tables below
XAVIER = (I.XAVIER_UNIFORM_, I.XAVIER_NORMAL_)
KAIMING = (I.KAIMING_UNIFORM_, I.KAIMING_NORMAL_)
ONES_AMONG_ZEROS = (I.EYE_, I.DIRAC_)
FIXED = (I.CONSTANT_, I.ZEROS_, I.ONES_)


class Shape(StrEnum):
    """The shape of the tensor, as the program writes it."""

    MATRIX = "256, 20"
    WIDE = "20, 256"
    KERNEL = "256, 3, 3, 3"
    VECTOR = "256"

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(map(int, self.split(",")))


class Mode(StrEnum):
    """The fan that the Kaiming initializers divide by."""

    FAN_IN = '"fan_in"'
    FAN_OUT = '"fan_out"'


class Microscope(Step):
    """Fill a tensor with an initializer of torch.nn.init."""

    initializer: Initializer = Initializer.XAVIER_UNIFORM_
    shape: Shape = Shape.MATRIX
    gain: float = number(0.1, 10.0, default=1.0, only_if={"initializer": (*XAVIER, I.ORTHOGONAL_)})
    mode: Mode = shown_if(Mode.FAN_IN, initializer=KAIMING)
    std: float = number(0.001, 10.0, default=0.01, only_if={"initializer": (I.NORMAL_,)})
    sparsity: float = number(0.0, 1.0, default=0.1, only_if={"initializer": (I.SPARSE_,)})
    seed: int = seed()

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn

            torch.manual_seed({w.seed})
            w = torch.empty({w.shape})
            {w.initializer}(w{self.arguments(w)}){w.asked}
            print(w.mean(), w.std())
        """

    def arguments(self, w: Words) -> str:
        """Write the arguments of the initializer after the tensor."""
        match self.initializer:
            case I.XAVIER_UNIFORM_ | I.XAVIER_NORMAL_ | I.ORTHOGONAL_:
                return f", gain={w.gain}"
            case I.KAIMING_UNIFORM_ | I.KAIMING_NORMAL_:
                return f', mode={w.mode}, nonlinearity="relu"'
            case I.NORMAL_:
                return f", mean=0.0, std={w.std}"
            case I.SPARSE_:
                return f", sparsity={w.sparsity}, std=0.01"
            case I.UNIFORM_:
                return ", a=-1.0, b=1.0"
            case I.CONSTANT_:
                return ", 0.5"
        return ""

    @property
    def given(self) -> Mapping[str, str | float]:
        """Arguments of the initializer as values."""
        match self.initializer:
            case I.XAVIER_UNIFORM_ | I.XAVIER_NORMAL_ | I.ORTHOGONAL_:
                return {"gain": self.gain}
            case I.KAIMING_UNIFORM_ | I.KAIMING_NORMAL_:
                return {"mode": self.mode.strip('"'), "nonlinearity": "relu"}
            case I.NORMAL_:
                return {"mean": 0.0, "std": self.std}
            case I.SPARSE_:
                return {"sparsity": self.sparsity, "std": 0.01}
            case I.UNIFORM_:
                return {"a": -1.0, "b": 1.0}
            case I.CONSTANT_:
                return {"val": 0.5}
        return {}

    def answer(self, run: Run) -> Answer:
        from playground.modules.initialisers import expected, fans  # loads torch

        sizes = self.shape.sizes
        found = fans(sizes) if len(sizes) > 1 else None
        if not run.outcome.ok:
            is_fan = run.outcome.message.startswith("Fan in and fan out")
            return Answer(
                prediction=run.outcome.error_type,
                explanation="no-fan" if is_fan else "other-dimensions",
                placeholders={"shape": str(sizes), "name": self.initializer},
            )
        should = expected(self.initializer.removeprefix("nn.init."), self.given, sizes)
        distribution = should.distribution
        sample = measured(run["w"], distribution)
        fan_by_mode = {Mode.FAN_IN: "fan_in", Mode.FAN_OUT: "fan_out"}
        expected_std = distribution.std if distribution else None
        return Answer(
            prediction=self.deciding(),
            explanation=self.explanation(),
            facts={
                "mean": sample.mean,
                "expected_mean": distribution.mean if distribution else None,
                "std": sample.std,
                "expected_std": expected_std,
                "fan_in": found.fan_in if found else None,
                "fan_out": found.fan_out if found else None,
                "zeros": f"{sample.zero_fraction:.1%}" if sample.zero_fraction else None,
            },
            placeholders={
                "std": f"{sample.std:.4g}",
                "expected_std": f"{expected_std:.4g}",
                "gain": f"{should.gain:.4g}" if should.gain else "",
                "fan": getattr(found, fan_by_mode[self.mode], None),
                "mode": self.mode.strip('"'),
                "share": f"{sample.zero_fraction:.1%}",
                "name": self.initializer,
                "ones": round((1 - sample.zero_fraction) * math.prod(sizes)),
                "longer": max(sizes[0], math.prod(sizes[1:])),
            },
            data=histogram("w", sample, distribution),
        )

    def deciding(self) -> str:
        """Return which sizes of the tensor decide the standard deviation."""
        if self.initializer in XAVIER:
            return "both"
        if self.initializer in KAIMING:
            return "inputs" if self.mode is Mode.FAN_IN else "outputs"
        has_longer = self.initializer in (*ONES_AMONG_ZEROS, I.ORTHOGONAL_)
        return "longer" if has_longer else "none"

    def explanation(self) -> str:
        if self.initializer in FIXED:
            return "nothing-drawn"
        if self.initializer in ONES_AMONG_ZEROS:
            return "ones-among-zeros"
        if self.initializer in XAVIER:
            return "xavier"
        if self.initializer in KAIMING:
            return "kaiming"
        named = {I.TRUNC_NORMAL_: "truncated", I.ORTHOGONAL_: "orthogonal", I.SPARSE_: "sparse"}
        return named.get(self.initializer, "as-asked")

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        return draw([answer.data]) if answer and answer.data else None


def std_of_one_tenth(step: Microscope, answer: Answer) -> bool:
    """Return whether Xavier is scaled to an expected std of 0.1 on the 256 × 20 matrix."""
    if step.initializer not in XAVIER or step.shape is not Shape.MATRIX:
        return False
    std = answer.facts["expected_std"]
    return isinstance(std, float) and abs(std - TENTH) <= PERCENT * TENTH


def mostly_zeros(step: Microscope, answer: Answer) -> bool:
    """Return whether at least nine in ten values are 0, but not all."""
    del step
    if answer.data is None:
        return False
    shares = [share for value, share in answer.data.pins if value == 0]
    return bool(shares) and MOSTLY <= shares[0] < 1
