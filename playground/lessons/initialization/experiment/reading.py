"""What PyTorch draws where nobody asks for anything."""

from torch import nn

from playground.compute.outcome import attempt
from playground.errors import InvalidSettingError
from playground.lessons.initialization.experiment.networks import owner_of, refuse_large, shape_of
from playground.lessons.initialization.records import ReadDefault, ReadDefaultReport
from playground.lessons.initialization.records.arguments import written
from playground.modules.build import build
from playground.modules.initialiser_types import Expected, Fans
from playground.modules.initialisers import Drawn, expected, fans, sample, watching
from playground.modules.layer_types import Value

NOTHING = Expected(gain=None, distribution=None)
FACTORIES = {"rand", "randn", "zeros", "ones"}
METHODS = {"fill_", "zero_"}


def read_default(settings: ReadDefault) -> ReadDefaultReport:
    """Make the network, watching torch, and look at one parameter.

    >>> read_default(ReadDefault()).follows_rule
    True
    """
    refuse_large(settings.spec)
    with watching() as watch:
        net = build(settings.spec, settings.seed, inputs=())
    parameters = dict(net.named_parameters())
    path = settings.parameter or next(iter(parameters), "")
    if path not in parameters:
        names = ", ".join(list(parameters)[:12]) or "—"
        raise InvalidSettingError("choice", field="parameter", given=path, allowed=names)
    parameter = parameters[path]
    owner = owner_of(net, path)
    shape = shape_of(parameter)
    drawn = None if shape is None else watch.of(parameter)
    should = NOTHING
    if drawn is not None and shape is not None:
        should = expected(drawn.initializer, dict(drawn.arguments), shape)
    points = should.distribution.points if should.distribution else ()
    found, outcome = attempt(lambda: sample(parameter, points))
    own_fans = None if shape is None else attempt(lambda: fans(shape))[0]
    return ReadDefaultReport(
        outcome=outcome,
        parameter=path,
        type_name=type(owner).__name__,
        call=None if drawn is None else _call(drawn, path),
        layer_fans=own_fans or _weight_fans(owner),
        shape=shape,
        fans=own_fans,
        gain=should.gain,
        distribution=should.distribution if found else None,
        sample=found,
    )


def _call(drawn: Drawn, path: str) -> str:
    """What torch called, as a line of code."""
    name = path.rpartition(".")[2]
    if drawn.function in FACTORIES:
        return f"torch.{drawn.function}(…)"
    given = written(tuple((key, _short(value)) for key, value in drawn.arguments))
    if drawn.function in METHODS:
        return f"{name}.{drawn.function}({given.partition('=')[2]})"
    return f"nn.init.{drawn.function}({name}{', ' if given else ''}{given})"


def _short(value: Value) -> str | float | int | bool:
    return round(value, 6) if isinstance(value, float) else value  # type: ignore[return-value]


def _weight_fans(owner: nn.Module) -> Fans | None:
    """The fans of the weight beside a bias."""
    weight = getattr(owner, "weight", None)
    shape = shape_of(weight) if isinstance(weight, nn.Parameter) else None
    return None if shape is None else attempt(lambda: fans(shape))[0]
