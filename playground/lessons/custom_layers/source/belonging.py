"""Programs about what belongs to a network, and what only stands in it."""

from playground.lessons.custom_layers.records import AssignWeight, HoldTensor, UseAsComponent
from playground.lessons.custom_layers.source.whole import whole


def use_as_component(settings: UseAsComponent) -> str:
    """Count, save, load, train and move a network of our own layers."""
    layers = f"MyLinear({settings.units_in}, {settings.units}), MyLinear({settings.units}, 1)"
    return whole(
        f"""
torch.manual_seed({settings.seed})
net = nn.Sequential({layers})
X = torch.rand(2, {settings.units_in})
count = sum(each.numel() for each in net.parameters())
keys = list(net.state_dict())
print(net[0])

file = io.BytesIO()  # a file in memory; a path does as well
torch.save(net.state_dict(), file)
file.seek(0)
other = nn.Sequential({layers})
other.load_state_dict(torch.load(file, weights_only=True))
loads = torch.equal(net(X), other(X))

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
sum(each.sum() for each in net.parameters()).backward()  # every gradient is 1
optimizer.step()

net.to("{settings.device}")
Y = net(X.to("{settings.device}"))

result = (count, keys, loads, str(Y.device))
""",
        "MyLinear",
        needs=("import io",),
    )


def hold_tensor(settings: HoldTensor) -> str:
    """Hold a tensor in one of the ways, then train and move the network."""
    name = settings.holding.class_name
    return whole(
        f"""
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), {name}(4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
before = net[1].scale.detach().clone()
net(torch.ones(2, 4)).sum().backward()
optimizer.step()

has_gradient = net[1].scale.grad is not None
is_trained = not torch.equal(before, net[1].scale)
in_parameters = "1.scale" in dict(net.named_parameters())
in_state_dict = "1.scale" in net.state_dict()

net.to("{settings.device}")
print(net[1].scale.device)
Y = net(torch.ones(2, 4, device="{settings.device}"))

result = (in_parameters, in_state_dict, has_gradient, is_trained, str(net[1].scale.device))
""",
        name,
    )


def assign_weight(settings: AssignWeight) -> str:
    """Assign to the weight of a layer whose optimizer is there already."""
    lines = "\n".join(settings.assignment.written)
    return whole(
        f"""
torch.manual_seed(0)
layer = MyLinear(4, 3)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

{lines}

Y = layer(torch.ones(2, 4))
before = layer.weight.detach().clone()
Y.sum().backward()
optimizer.step()
in_parameters = "weight" in dict(layer.named_parameters())

result = (type(layer.weight).__name__, in_parameters, not torch.equal(before, layer.weight))
""",
        "MyLinear",
    )
