"""Programs about a layer that subtracts the mean."""

from playground.lessons.custom_layers.records import CenterValues, MeasureMean, Precision
from playground.lessons.custom_layers.source.whole import whole


def center_values(settings: CenterValues) -> str:
    """Send values through the layer."""
    return whole(
        f"""
layer = CenteredLayer()
X = {settings.values.written}
Y = layer(X)
print(list(layer.parameters()))  # nothing to learn

result = Y.tolist()
""",
        "CenteredLayer",
    )


def measure_mean(settings: MeasureMean) -> str:
    """Let the layer end a network, and print the mean."""
    made = f"net = nn.Sequential(nn.Linear(8, {settings.units}), CenteredLayer())"
    batch = f"X = torch.rand({settings.batch}, 8)"
    if settings.precision is not Precision.FLOAT32:
        made += f"\nnet.to(torch.{settings.precision})"
        batch = f"X = torch.rand({settings.batch}, 8, dtype=torch.{settings.precision})"
    return whole(
        f"""
torch.manual_seed({settings.seed})
{made}
{batch}
Y = net(X)
print(torch.finfo(Y.dtype).eps)

result = Y.mean().item()
""",
        "CenteredLayer",
    )
