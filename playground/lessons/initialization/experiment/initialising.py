"""One initialiser on one tensor."""

import math
import warnings
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from playground.compute.outcome import attempt
from playground.errors import InvalidSettingError
from playground.lessons.initialization.experiment.networks import shape_of
from playground.lessons.initialization.records import (
    Initialize,
    InitializeReport,
    ListInitialisers,
    ListInitialisersReport,
)
from playground.lessons.initialization.records.arguments import Pairs, Scalar
from playground.modules import catalogue
from playground.modules.build.assemble import assembled
from playground.modules.build.known import check_layers
from playground.modules.build.size import measure
from playground.modules.distributions import Truncated
from playground.modules.initialiser_types import MOST_VALUES, Expected, Sample
from playground.modules.initialisers import expected, fans, initialiser, initialisers, sample
from playground.modules.spec import Block, Layer, Network, Node
from playground.modules.spec.sharing import root_of

NOTHING = Expected(gain=None, distribution=None)
MOST_LOOPS = 50_000  # of initialisers that go by columns, in Python
MOST_PRODUCTS = 10**10  # of a QR decomposition
MOST_DRAWS = 3 * 10**8  # of drawing again what fell outside
FEW_KEPT = 0.3  # from here down trunc_normal_ draws evenly and keeps what the density allows


def list_initialisers(settings: ListInitialisers) -> ListInitialisersReport:
    """Find them."""
    del settings
    return ListInitialisersReport(initialisers=initialisers())


def initialize(settings: Initialize) -> InitializeReport:
    """Fill a tensor, and look at it.

    >>> initialize(Initialize(initializer="ones_", shape=(2, 3))).mean
    1.0
    """
    shape = settings.shape
    if shape is None:
        shape = parameter_shape(settings.spec, settings.parameter)
    name, given = settings.initializer, dict(settings.pairs)
    known = known_name(name)
    should = NOTHING if shape is None else what_should_come(known, given, shape)
    tensor = nn.UninitializedParameter() if shape is None else torch.empty(shape)
    torch.manual_seed(settings.seed)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        filled, outcome = attempt(lambda: getattr(nn.init, name)(tensor, **given))
    found, _ = attempt(lambda: fans(shape or ()))
    return InitializeReport(
        outcome=outcome,
        initializer=name,
        arguments=all_arguments(known, given),
        warning="\n".join(f"{each.category.__name__}: {each.message}" for each in told),
        shape=shape,
        fans=found,
        gain=should.gain if outcome.ok else None,
        distribution=should.distribution if outcome.ok else None,
        sample=None if filled is None else measured(filled, should),
    )


def what_should_come(name: str, given: Mapping[str, Scalar], shape: tuple[int, ...]) -> Expected:
    """What is expected, before any memory is taken; nothing where torch will refuse.

    Raises:
        InvalidSettingError: It would take too long.
    """
    should, _ = attempt(lambda: expected(name, given, shape))
    should = should or NOTHING
    refuse_long_work(name, given, shape, should)
    return should


def measured(values: Tensor, should: Expected) -> Sample:
    """Measure values, and the shares of those that are expected exactly."""
    return sample(values, should.distribution.points if should.distribution else ())


def known_name(name: str) -> str:
    """The initialiser that a name means, with its underscore.

    Raises:
        InvalidSettingError: torch.nn.init has none.
    """
    names = [each.name for each in initialisers()]
    for meant in (name, f"{name}_"):
        if meant in names:
            return meant
    raise InvalidSettingError("choice", field="initializer", given=name, allowed=", ".join(names))


def all_arguments(name: str, given: Mapping[str, Scalar]) -> Pairs:
    """What was given, and torch's defaults for the rest."""
    defaults = {
        each.name: each.default
        for each in initialiser(name).arguments
        if isinstance(each.default, bool | int | float | str)
    }
    return tuple({**defaults, **given}.items())


def parameter_shape(spec: Layer | Block | Network, path: str) -> tuple[int, ...] | None:
    """The shape of a parameter, found without making it; None where it has none yet.

    Raises:
        InvalidSettingError: There is no such parameter, or it is too large.
        InvalidSpecError: The layer cannot be made.
    """
    root = with_examples(root_of(spec))
    check_layers(root)
    measure(lambda: assembled(root))
    with torch.device("meta"):
        parameters = dict(assembled(root).named_parameters(remove_duplicate=False))
    found = parameters.get(path)
    if found is None:
        names = ", ".join(list(parameters)[:12]) or "—"
        raise InvalidSettingError("choice", field="parameter", given=path, allowed=names)
    shape = shape_of(found)
    count = 0 if shape is None else math.prod(shape)
    if count > MOST_VALUES:
        raise InvalidSettingError(
            "bounds", field="parameter", given=count, least=1, most=MOST_VALUES
        )
    return shape


def with_examples(node: Node) -> Node:
    """A layer of torch that was only named, with arguments that it takes."""
    if isinstance(node, Layer) and not node.arguments and node.type in dir(nn):
        try:
            return Layer(node.type, catalogue.layer(node.type).example_arguments)
        except KeyError:
            pass  # no layer: it is refused by its name
    return node


def refuse_long_work(
    name: str, given: Mapping[str, Scalar], shape: tuple[int, ...], should: Expected
) -> None:
    """Refuse what would keep torch busy for long: a loop over columns, a large decomposition.

    Raises:
        InvalidSettingError: With key ``initialiser_too_slow``.
    """
    count = math.prod(shape)
    is_slow = False
    if name == "sparse_" and len(shape) == 2:
        is_slow = shape[1] > MOST_LOOPS
    elif name == "dirac_" and len(shape) > 2:
        groups = given.get("groups", 1)
        loops = (
            max(int(groups), 0) * min(shape[0], shape[1]) if isinstance(groups, int | float) else 0
        )
        is_slow = min(loops, count) > MOST_LOOPS
    elif name == "orthogonal_":
        is_slow = count * min(shape[0], count // shape[0]) > MOST_PRODUCTS
    elif isinstance(should.distribution, Truncated) and count > 1:
        kept = should.distribution.acceptance
        rounds = math.log(count) / max(kept, 1e-12)
        is_slow = should.distribution.share <= FEW_KEPT and count * rounds > MOST_DRAWS
    if is_slow:
        raise InvalidSettingError(
            "initialiser_too_slow", field="shape", given=str(shape), initializer=name
        )
