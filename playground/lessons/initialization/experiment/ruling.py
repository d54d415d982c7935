"""A rule that torch.nn.init does not have."""

import torch
from torch import nn

from playground.compute.outcome import attempt
from playground.lessons.initialization.records import (
    FollowOwnRule,
    FollowOwnRuleReport,
    Spelling,
)
from playground.modules.distributions import Distribution, Fixed, Kept
from playground.modules.initialisers import fans, sample

ZEROS = Fixed(((0.0, 1.0),))


def follow_own_rule(settings: FollowOwnRule) -> FollowOwnRuleReport:
    """Draw, and keep what is large.

    >>> follow_own_rule(FollowOwnRule()).actual
    'half'
    """
    bound, threshold = settings.bound, settings.threshold
    torch.manual_seed(settings.seed)
    layer = nn.Linear(20, 256)

    def init(module: nn.Linear) -> None:
        nn.init.uniform_(module.weight, -bound, bound)
        match settings.spelling:
            case Spelling.DATA:
                module.weight.data *= module.weight.data.abs() >= threshold
            case Spelling.NO_GRAD:
                with torch.no_grad():
                    module.weight *= module.weight.abs() >= threshold
            case Spelling.PLAIN:
                module.weight *= module.weight.abs() >= threshold

    _, outcome = attempt(lambda: init(layer))
    shape = tuple(layer.weight.shape)
    should: Distribution = ZEROS if threshold >= bound else Kept(bound, threshold)
    return FollowOwnRuleReport(
        outcome=outcome,
        spelling=settings.spelling,
        bound=bound,
        threshold=threshold,
        shape=shape,
        fans=fans(shape),
        gain=None,
        distribution=should if outcome.ok else None,
        sample=sample(layer.weight, should.points) if outcome.ok else None,
    )
