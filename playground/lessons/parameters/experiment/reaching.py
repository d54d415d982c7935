"""One layer, one parameter, and the tree that they are in."""

from torch import nn

from playground.compute.outcome import Outcome, attempt
from playground.lessons.parameters.experiment.made import (
    Made,
    has_shape,
    make,
    named,
    parameter,
    shape_of,
    view_of,
)
from playground.lessons.parameters.records import (
    Branch,
    Leaf,
    ListParameters,
    ListParametersReport,
    Moment,
    OpenLayer,
    OpenLayerReport,
    ReachParameter,
    ReachParameterReport,
    index_path,
    variable_of,
)

MOST_PRINTED = 1500


def list_parameters(settings: ListParameters) -> ListParametersReport:
    """All modules with their own parameters; lazy layers after a first call."""
    net = make(settings.spec, seed=0).net
    names = list(named(net))
    return ListParametersReport(
        branches=tuple(
            Branch(
                path=path,
                type_name=type(module).__name__,
                leaves=tuple(
                    Leaf(name=_joined(path, name), shape=shape_of(each))
                    for name, each in module.named_parameters(recurse=False, remove_duplicate=False)
                ),
                first=next((name for name in names if name.startswith(_joined(path, ""))), ""),
            )
            for path, module in net.named_modules(remove_duplicate=False)
        )
    )


def open_layer(settings: OpenLayer) -> OpenLayerReport:
    """Print the layer's state_dict, and look at one parameter's type, values and gradient."""
    network = settings.spec
    made = make(network, settings.seed)
    chosen = parameter(made.net, settings.path)
    path, _, attribute = settings.path.rpartition(".")
    layer = made.net.get_submodule(path)
    printed, outcome = str(layer.state_dict())[:MOST_PRINTED], made.outcome
    if outcome.ok and settings.moment is not Moment.BEFORE:
        outcome = _go_back(made, settings.moment)
    return OpenLayerReport(
        outcome=outcome,
        layer=index_path(network, path, variable_of(network)),
        attribute=attribute,
        type_name=f"{type(chosen).__module__}.{type(chosen).__qualname__}",
        data_type=f"torch.{type(chosen.data).__name__}",
        requires_grad=chosen.requires_grad,
        printed_state=printed if outcome.ok else "",
        moment=settings.moment,
        values=view_of(chosen),
        gradient=view_of(chosen.grad) if has_shape(chosen) else None,
    )


def _go_back(made: Made, moment: Moment) -> Outcome:
    def backward() -> None:
        made.Y.sum().backward()
        if moment is Moment.TWICE:
            made.call().sum().backward()
        if moment is Moment.ZEROED:
            made.net.zero_grad()

    return attempt(backward)[1]


def reach_parameter(settings: ReachParameter) -> ReachParameterReport:
    """Look at a parameter, and at its gradient before and after a backward pass."""
    network = settings.spec
    made = make(network, settings.seed)
    chosen = parameter(made.net, settings.path)
    is_there = has_shape(chosen)
    before = view_of(chosen.grad) if is_there else None
    outcome = made.outcome
    if outcome.ok:
        outcome = attempt(lambda: made.Y.sum().backward())[1]
    variable = variable_of(network)
    return ReachParameterReport(
        outcome=outcome,
        name=settings.path,
        index_path=index_path(network, settings.path, variable),
        variable=variable,
        shape=shape_of(chosen),
        dtype=str(chosen.dtype),
        device=str(chosen.device),
        numbers=chosen.numel() if is_there else 0,
        size_bytes=chosen.numel() * chosen.element_size() if is_there else 0,
        is_trainable=chosen.requires_grad,
        tied=_other_names(made.net, settings.path, chosen),
        values=view_of(chosen),
        gradient_before=before,
        gradient=view_of(chosen.grad) if is_there else None,
    )


def _other_names(net: nn.Module, path: str, chosen: nn.Parameter) -> tuple[str, ...]:
    return tuple(name for name, each in named(net).items() if each is chosen and name != path)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
