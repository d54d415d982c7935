"""The limits of a program that trains: more computing time than any other may have."""

import ast
from dataclasses import replace

from playground.sandbox.check import translate
from playground.sandbox.limits import LIMITS, Limits

DEFAULT_SECONDS = 10
WALL_SHARE = 2.0  # of the computing time: a busy server gives a run half a processor
STEPS = frozenset({"backward", "step"})  # what a loop that trains calls
FITS = frozenset({"fit", "train_ch3", "train_epoch_ch3"})  # the loop is inside of it, as in d2l


def _limits(seconds: int) -> Limits:
    if seconds <= LIMITS.cpu_seconds:
        return LIMITS
    hard, wall = seconds + 1, seconds * WALL_SHARE
    return replace(LIMITS, cpu_seconds=seconds, cpu_hard_seconds=hard, wall_seconds=wall)


_training = [_limits(DEFAULT_SECONDS)]


def allow_training(seconds: int) -> None:
    """Set how many seconds a program that trains may compute."""
    _training[:] = [_limits(seconds)]


def training_limits() -> Limits:
    """Return the limits of a program that trains."""
    return _training[0]


def trains(source: str) -> bool:
    r"""Return whether a program has a loop and calls ``backward`` or ``step``, or calls ``fit``.

    It need not be more exact: a program that only pretends waits among those that train.

    >>> trains("for X, y in data:\n    loss(net(X), y).backward()\n    sgd()")
    True
    >>> trains("while True:\n    pass"), trains("loss.backward()"), trains("trainer.fit(net, data)")
    (False, False, True)
    >>> trains("%matplotlib inline\nd2l.train_ch3(net, train_iter, test_iter, loss, 10, trainer)")
    True
    """
    try:
        nodes = list(ast.walk(ast.parse(translate(source).source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    called = {
        node.func.attr
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    has_loop = any(isinstance(node, ast.For | ast.While) for node in nodes)
    return not called.isdisjoint(FITS) or (has_loop and not called.isdisjoint(STEPS))
