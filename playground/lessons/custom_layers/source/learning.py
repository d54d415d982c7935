"""Programs about a layer with parameters."""

from playground.lessons.custom_layers.records import CopyWeights, TrainThrough, UseMyLinear, Way
from playground.lessons.custom_layers.source.whole import whole


def use_my_linear(settings: UseMyLinear) -> str:
    """Make the layer, feed it, and go back through it."""
    name = settings.way.class_name
    return whole(
        f"""
torch.manual_seed({settings.seed})
layer = {name}({settings.units_in}, {settings.units})
X = torch.rand(2, {settings.units_in})
Y = layer(X)
print(Y.grad_fn)
Y.sum().backward()

result = layer.weight.grad.tolist()
""",
        name,
    )


def train_through(settings: TrainThrough) -> str:
    """Train the network with ``.data`` in our own layer."""
    name = Way.DATA.class_name
    layers = ",\n    ".join(settings.place.layers(name))
    return whole(
        f"""
torch.manual_seed({settings.seed})
net = nn.Sequential(
    {layers},
)
X = torch.rand(64, 4)
y = X.sum(dim=1, keepdim=True)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
before = {{name: each.detach().clone() for name, each in net.named_parameters()}}

losses = []
for step in range({settings.steps}):
    loss = criterion(net(X), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
losses.append(criterion(net(X), y).item())

for name, each in net.named_parameters():
    print(name, each.grad is None, torch.equal(before[name], each))
still = [name for name, each in net.named_parameters() if torch.equal(before[name], each)]

result = (losses, still)
""",
        name,
    )


def copy_weights(settings: CopyWeights) -> str:
    """Write the weight of one layer into the other, and compare what both give."""
    units_in, units = settings.units_in, settings.units
    return whole(
        f"""
torch.manual_seed({settings.seed})
layer = MyLinear({units_in}, {units})
linear = nn.Linear({units_in}, {units})
print(layer.weight.shape, linear.weight.shape)
with torch.no_grad():
    {settings.copying.written}
    linear.bias.copy_(layer.bias)

X = torch.randn(16, {units_in})

result = torch.allclose(layer(X), torch.relu(linear(X)), atol=1e-5)
""",
        "MyLinear",
    )
