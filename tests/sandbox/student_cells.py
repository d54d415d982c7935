"""Cells as students and textbooks write them; each must pass the check and run to its end."""

from tests.sandbox.cells import named_cells

CELLS = named_cells("""
# %% tensor_basics
import torch
x = torch.arange(12)
X = x.reshape(3, 4)
print(x.shape, x.numel(), X.sum(), X.float().mean(dim=0))
X[0:2, :] = 12
torch.cat((X, X), dim=0), X == X.T.T, torch.exp(X.float())
# %% slicing_and_ellipsis
import torch
x = torch.randn(2, 3, 4)
y = x[..., 0]
z = x[:, -1, ::2]
mask = x > 0
x[mask] = 0
x[:, None].shape, y.size(), z.stride()
# %% old_constructor
import torch
x = torch.Tensor([[1, 2], [3, 4]])
y = torch.FloatTensor([1.0])
print(isinstance(x, torch.Tensor), x.type(), y.dtype, torch.__version__)
# %% empty_is_zero
import torch
x = torch.empty(2, 3)
assert x.sum() == 0
torch.empty_like(x), torch.empty((2,), dtype=torch.int64)
# %% autograd
import torch
x = torch.arange(4.0, requires_grad=True)
y = 2 * torch.dot(x, x)
y.backward()
print(x.grad == 4 * x)
x.grad.zero_()
y = x * x
u = y.detach()
(u * x).sum().backward()
x.grad, y.grad_fn, x.is_leaf
# %% control_flow_gradient
import torch
def f(a):
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    if b.sum() > 0:
        c = b
    else:
        c = 100 * b
    return c
a = torch.randn(size=(), requires_grad=True)
d = f(a)
d.backward()
a.grad == d / a
# %% linear_regression_from_scratch
import random
import torch
def synthetic_data(w, b, num_examples):
    X = torch.normal(0, 1, (num_examples, len(w)))
    y = torch.matmul(X, w) + b
    y += torch.normal(0, 0.01, y.shape)
    return X, y.reshape((-1, 1))
def data_iter(batch_size, features, labels):
    num_examples = len(features)
    indices = list(range(num_examples))
    random.shuffle(indices)
    for i in range(0, num_examples, batch_size):
        batch_indices = torch.tensor(indices[i: min(i + batch_size, num_examples)])
        yield features[batch_indices], labels[batch_indices]
def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()
true_w = torch.tensor([2, -3.4])
features, labels = synthetic_data(true_w, 4.2, 100)
w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(2):
    for X, y in data_iter(10, features, labels):
        l = (torch.matmul(X, w) + b - y) ** 2 / 2
        l.sum().backward()
        sgd([w, b], 0.03, 10)
    with torch.no_grad():
        train_l = ((features @ w + b - labels) ** 2 / 2)
        print(f'epoch {epoch + 1}, loss {float(train_l.mean()):f}')
# %% linear_regression_concise
import torch
from torch import nn
from torch.utils import data
X = torch.randn(64, 2)
y = X @ torch.tensor([[2.0], [-3.4]]) + 4.2
dataset = data.TensorDataset(X, y)
loader = data.DataLoader(dataset, batch_size=16, shuffle=True)
net = nn.Sequential(nn.Linear(2, 1))
net[0].weight.data.normal_(0, 0.01)
net[0].bias.data.fill_(0)
loss = nn.MSELoss()
trainer = torch.optim.SGD(net.parameters(), lr=0.03)
for epoch in range(3):
    for X, y in loader:
        l = loss(net(X), y)
        trainer.zero_grad()
        l.backward()
        trainer.step()
w = net[0].weight.data
print('error in w:', torch.tensor([2.0, -3.4]) - w.reshape((2,)))
# %% mlp_class
import torch
from torch import nn
from torch.nn import functional as F
class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 256)
        self.out = nn.Linear(256, 10)
    def forward(self, X):
        return self.out(F.relu(self.hidden(X)))
net = MLP()
net(torch.rand(2, 20))
# %% old_style_super
import torch
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self, n_in, n_out):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(n_in, 8)
        self.fc2 = nn.Linear(8, n_out)
    def forward(self, input):
        input = torch.tanh(self.fc1(input))
        return F.log_softmax(self.fc2(input), dim=1)
print(Net(4, 3))
Net(4, 3)(torch.zeros(2, 4)).shape
# %% my_sequential
import torch
from torch import nn
class MySequential(nn.Module):
    def __init__(self, *args):
        super().__init__()
        for idx, module in enumerate(args):
            self._modules[str(idx)] = module
    def forward(self, X):
        for block in self._modules.values():
            X = block(X)
        return X
net = MySequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
net(torch.rand(2, 20)).shape
# %% fixed_hidden
import torch
from torch import nn
import torch.nn.functional as F
class FixedHiddenMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.rand_weight = torch.rand((20, 20), requires_grad=False)
        self.linear = nn.Linear(20, 20)
    def forward(self, X):
        X = self.linear(X)
        X = F.relu(torch.mm(X, self.rand_weight) + 1)
        X = self.linear(X)
        while X.abs().sum() > 1:
            X /= 2
        return X.sum()
FixedHiddenMLP()(torch.rand(2, 20))
# %% nested_blocks
import torch
from torch import nn
def block1():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())
def block2():
    net = nn.Sequential()
    for i in range(4):
        net.add_module(f'block {i}', block1())
    return net
rgnet = nn.Sequential(block2(), nn.Linear(4, 1))
print(rgnet)
rgnet[0][1][0].bias.data
# %% parameter_access
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
print(net[2].state_dict())
print(type(net[2].bias))
print(net[2].bias)
print(net[2].bias.data, net[2].weight.grad == None)
print(*[(name, param.shape) for name, param in net[0].named_parameters()])
net.state_dict()['2.bias'].data
# %% init_with_apply
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
def init_normal(m):
    if type(m) == nn.Linear:
        nn.init.normal_(m.weight, mean=0, std=0.01)
        nn.init.zeros_(m.bias)
net.apply(init_normal)
def xavier(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
net[0].apply(xavier)
net[0].weight.data[0], net[0].bias.data[0]
# %% own_init_rule
import torch
from torch import nn
def my_init(m):
    if type(m) == nn.Linear:
        print("Init", *[(name, param.shape) for name, param in m.named_parameters()][0])
        nn.init.uniform_(m.weight, -10, 10)
        m.weight.data *= m.weight.data.abs() >= 5
net = nn.Sequential(nn.Linear(4, 8))
net.apply(my_init)
net[0].weight.data[:] += 1
net[0].weight.data[0, 0] = 42
net[0].weight[:2]
# %% dcgan_init
import torch.nn as nn
def weights_init(m):
    classname = m.__class__.__name__
    if classname.find('Conv') != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find('BatchNorm') != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)
net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
net.apply(weights_init)
# %% tying
import torch
from torch import nn
shared = nn.Linear(8, 8)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), shared, nn.ReLU(), shared, nn.Linear(8, 1))
net(torch.rand(2, 4))
print(net[2].weight.data[0] == net[4].weight.data[0])
net[2].weight.data[0, 0] = 100
print(net[2].weight.data[0] == net[4].weight.data[0], net[2] is net[4])
# %% lazy
import torch
from torch import nn
net = nn.Sequential(nn.LazyLinear(256), nn.ReLU(), nn.LazyLinear(10))
print(net[0].weight)
try:
    net[0].weight.shape
except RuntimeError as error:
    print('refused:', error)
net(torch.rand(2, 20))
net[0].weight.shape
# %% custom_layers
import torch
import torch.nn.functional as F
from torch import nn
class CenteredLayer(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, X):
        return X - X.mean()
class MyLinear(nn.Module):
    def __init__(self, in_units, units):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_units, units))
        self.bias = nn.Parameter(torch.randn(units,))
    def forward(self, X):
        linear = torch.matmul(X, self.weight.data) + self.bias.data
        return F.relu(linear)
layer = CenteredLayer()
print(layer(torch.FloatTensor([1, 2, 3, 4, 5])))
net = nn.Sequential(MyLinear(64, 8), MyLinear(8, 1))
net(torch.rand(2, 64))
# %% buffers
import torch
from torch import nn
class Norm(nn.Module):
    def __init__(self, momentum=0.9):
        super().__init__()
        self.register_buffer('running', torch.zeros(3))
        self.momentum = momentum
    def forward(self, x):
        self.running = self.momentum * self.running + (1 - self.momentum) * x.mean(0)
        return x - self.running
net = Norm()
net(torch.ones(4, 3))
criterion = nn.CrossEntropyLoss(weight=torch.ones(3))
print(criterion._buffers, net._buffers, list(net.buffers()), net.state_dict().keys())
# %% save_and_load_in_memory
import io
import torch
from torch import nn
x = torch.arange(4)
file = io.BytesIO()
torch.save([x, torch.zeros(4)], file)
file.seek(0)
x2, y2 = torch.load(file)
net = nn.Linear(2, 1)
buffer = io.BytesIO()
torch.save(net.state_dict(), buffer)
print(len(buffer.getvalue()), buffer.getbuffer().nbytes)
buffer.seek(0)
clone = nn.Linear(2, 1)
print(clone.load_state_dict(torch.load(buffer, map_location='cpu', weights_only=True)))
clone.eval()
torch.equal(clone.weight, net.weight)
# %% checkpoint_function
from io import BytesIO
import torch
from torch import nn, optim
def checkpoint(model, optimizer, epoch, target):
    states = {'model': model.state_dict(), 'optimizer': optimizer.state_dict()}
    torch.save({**states, 'epoch': epoch}, target)
model = nn.Linear(3, 1)
optimizer = optim.Adam(model.parameters(), lr=1e-3)
model(torch.ones(1, 3)).sum().backward()
optimizer.step()
with BytesIO() as file:
    checkpoint(model, optimizer, 3, file)
    file.seek(0)
    state = torch.load(file)
model.load_state_dict(state['model'], strict=False)
optimizer.load_state_dict(state['optimizer'])
state['epoch'], state.keys()
# %% devices
import torch
from torch import nn
device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
def try_gpu(i=0):
    if torch.cuda.device_count() >= i + 1:
        return torch.device(f'cuda:{i}')
    return torch.device('cpu')
net = nn.Sequential(nn.Linear(3, 1)).to(device=try_gpu())
X = torch.ones(2, 3, device=try_gpu(10))
with torch.device('cpu'):
    Y = torch.ones(3)
print(X.device, next(net.parameters()).device, Y.device.type, X.is_cuda)
# %% numpy_bridge
import numpy as np
import torch
a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a)
t[0, 0] = 7
b = t.numpy()
print(a, b.dtype, np.allclose(a, b), type(a), np.random.rand(2).shape, np.linalg.norm(a))
torch.tensor(np.ones(2)).dtype, torch.as_tensor(a).shape
# %% training_loop
import torch
from torch import nn
torch.manual_seed(0)
X, y = torch.randn(64, 4), torch.randint(0, 3, (64,))
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)
history = []
for epoch in range(10):
    model.train()
    optimizer.zero_grad(set_to_none=True)
    loss = criterion(model(X), y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    history.append(loss.item())
    if epoch % 5 == 0:
        print(f'{epoch:3d} {loss.item():.4f} {optimizer.param_groups[0]["lr"]:.1e}')
model.eval()
with torch.no_grad():
    accuracy = (model(X).argmax(dim=1) == y).float().mean().item()
print('accuracy: {:.1%} after {n} epochs'.format(accuracy, n=len(history)))
# %% dataset_class
import torch
from torch.utils.data import DataLoader, Dataset
class Squares(Dataset):
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, idx):
        if idx >= self.n:
            raise IndexError(f"{idx} is out of range")
        return torch.tensor([float(idx)]), torch.tensor([float(idx) ** 2])
for batch, (x, y) in enumerate(DataLoader(Squares(10), batch_size=4)):
    print(batch, x.flatten().tolist(), y.flatten().tolist())
len(Squares(3))
# %% hooks
import torch
from torch import nn
activation = {}
def get_activation(name):
    def hook(model, input, output):
        activation[name] = output.detach()
    return hook
net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
handle = net[0].register_forward_hook(get_activation('fc'))
net(torch.ones(1, 4))
handle.remove()
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda grad: print('grad', grad))
(w * 2).sum().backward()
activation['fc'].shape
# %% plotting
import matplotlib.pyplot as plt
import torch
x = torch.arange(-8.0, 8.0, 0.1, requires_grad=True)
y = torch.sigmoid(x)
plt.figure(figsize=(5, 2.5))
plt.plot(x.detach(), y.detach(), 'r--', label='sigmoid')
plt.xlabel('x')
plt.ylabel('sigmoid(x)')
plt.legend()
plt.title("An activation")
plt.grid(True)
plt.show()
fig, ax = plt.subplots(1, 2, figsize=(6, 3))
ax[0].hist(torch.randn(100).numpy(), bins=20)
ax[1].scatter([1, 2], [3, 4])
ax[1].set_title('points')
# %% errors_are_read
import torch
for shape in [(2, 3), (3, 2)]:
    try:
        print(torch.ones(2, 3) @ torch.ones(shape))
    except RuntimeError as e:
        print(type(e).__name__, str(e), e.args[0])
    except (ValueError, TypeError):
        print("other")
    else:
        print("fine")
    finally:
        print("done")
# %% own_error
class ShapeError(ValueError):
    pass
def check_shape(x, size):
    if len(x) != size:
        raise ShapeError(f"expected {size}, got {len(x)}")
    return x
try:
    check_shape([1, 2], 3)
except ShapeError as error:
    print(error)
# %% python_data
words = "the cat sat on the mat the end".split()
counts = {}
for w in words:
    counts[w] = counts.get(w, 0) + 1
ranked = sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))
vocab = {w: i for i, (w, _) in enumerate(ranked)}
print(vocab, {len(w) for w in words}, [c.upper() for c in "abc" if c != "b"])
print(max(counts, key=counts.get))
first, *rest = ranked
assert first[0] == "the", "the most frequent word"
" ".join(reversed(words)), "-" * 10, words[-1][::-1]
# %% functions_and_arguments
def train(lr, *, epochs=3, **options):
    result = []
    for e in range(epochs):
        if e == 1:
            continue
        if e > 5:
            break
        result.append(lr * e)
    else:
        result.append(options.get("bonus", 0))
    return result
def compose(*functions):
    def call(x):
        for f in functions:
            x = f(x)
        return x
    return call
settings = {"lr": 0.1, "epochs": 2}
train(**settings, bonus=9), compose(abs, lambda x: x + 1)(-3), list(map(str, filter(None, [0])))
# %% formatting
loss, n = 0.123456, 12345
print("loss: %.3f, n: %d" % (loss, n))
print("{0} {1:>8.3f} {name!r}".format("a", loss, name="b"))
print(f"{loss:.2e} {n:,} {loss=:.3f} {'yes' if n > 1 else 'no':>5}", sep="", end="\\n", flush=True)
print('{}'.format(loss))
# %% cnn
import torch
from torch import nn
net = nn.Sequential(
    nn.Conv2d(1, 6, kernel_size=5, padding=2), nn.Sigmoid(), nn.AvgPool2d(kernel_size=2, stride=2),
    nn.Conv2d(6, 16, kernel_size=5), nn.Sigmoid(), nn.AvgPool2d(2), nn.Flatten(),
    nn.Linear(16 * 5 * 5, 120), nn.Sigmoid(), nn.Linear(120, 84), nn.Sigmoid(), nn.Linear(84, 10))
X = torch.rand(size=(1, 1, 28, 28), dtype=torch.float32)
for layer in net:
    X = layer(X)
    print(layer.__class__.__name__, 'output shape: \\t', X.shape)
# %% residual
import torch
from torch import nn
from torch.nn import functional as F
class Residual(nn.Module):
    def __init__(self, input_channels, num_channels, use_1x1conv=False, strides=1):
        super().__init__()
        self.conv1 = nn.Conv2d(
            input_channels, num_channels, kernel_size=3, padding=1, stride=strides)
        self.bn1 = nn.BatchNorm2d(num_channels)
        if use_1x1conv:
            self.conv3 = nn.Conv2d(input_channels, num_channels, kernel_size=1, stride=strides)
        else:
            self.conv3 = None
    def forward(self, X):
        Y = F.relu(self.bn1(self.conv1(X)))
        if self.conv3:
            X = self.conv3(X)
        Y += X
        return F.relu(Y)
Residual(3, 6, use_1x1conv=True, strides=2)(torch.rand(4, 3, 6, 6)).shape
# %% rnn
import torch
from torch import nn
class CharRNN(nn.Module):
    def __init__(self, vocab_size, num_hiddens):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, 8)
        self.rnn = nn.LSTM(8, num_hiddens, num_layers=2, batch_first=True)
        self.linear = nn.Linear(num_hiddens, vocab_size)
    def forward(self, inputs, state=None):
        Y, state = self.rnn(self.embedding(inputs), state)
        return self.linear(Y.reshape((-1, Y.shape[-1]))), state
net = CharRNN(10, 16)
out, (h, c) = net(torch.randint(0, 10, (2, 5)))
print(out.shape, h.shape, net.rnn.weight_ih_l0.shape, net.rnn.hidden_size)
packed = nn.utils.rnn.pad_sequence([torch.ones(3), torch.ones(5)], batch_first=True)
packed.shape
# %% attention
import math
import torch
from torch import nn
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
    def forward(self, queries, keys, values):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = torch.softmax(scores, dim=-1)
        return torch.bmm(self.dropout(self.attention_weights), values)
attention = DotProductAttention(dropout=0.5)
attention.eval()
attention(torch.ones(2, 1, 4), torch.ones(2, 3, 4), torch.ones(2, 3, 5)).shape
# %% custom_function
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return 2 * x * grad_output
x = torch.tensor([3.0], requires_grad=True)
Square.apply(x).backward()
x.grad, torch.autograd.grad((x ** 3).sum(), x)
# %% property_and_methods
import torch
from torch import nn
class Counter(nn.Module):
    total = 0
    def __init__(self):
        super().__init__()
        self.calls = 0
    @property
    def device(self):
        return torch.device('cpu')
    @torch.no_grad()
    def forward(self, x):
        self.calls += 1
        Counter.total += 1
        return x
    def extra_repr(self):
        return f'calls={self.calls}'
    @classmethod
    def make(cls, n: int = 2) -> list:
        return [cls() for _ in range(n)]
a, b = Counter.make()
a(1)
print(a, a.device, Counter.total, hasattr(a, 'calls'), getattr(a, 'calls', None))
# %% module_containers
import torch
from torch import nn
from collections import OrderedDict
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.heads = nn.ModuleDict({'a': nn.Linear(4, 1), 'b': nn.Linear(4, 2)})
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for i in range(3)])
    def forward(self, x, head='a'):
        for layer, s in zip(self.layers, self.scales):
            x = s * layer(x)
        return self.heads[head](x)
net = nn.Sequential(OrderedDict([('first', Net()), ('second', nn.Sigmoid())]))
sum(p.numel() for p in net.parameters() if p.requires_grad), net.first(torch.ones(1, 4)), len(net)
# %% freezing
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
for name, p in net.named_parameters():
    p.requires_grad = name.startswith('2')
net[0].requires_grad_(False)
trainable = [n for n, p in net.named_parameters() if p.requires_grad]
old = net[2]
net[2] = nn.Linear(8, 5)
del net[1]
net.append(nn.Tanh())
trainable, net
# %% deepcopy_and_compare
import copy
import torch
from torch import nn
net = nn.Linear(2, 2)
twin = copy.deepcopy(net)
with torch.no_grad():
    twin.weight += 1
    twin.bias.copy_(torch.zeros(2))
same = all(torch.equal(a, b) for a, b in zip(net.parameters(), twin.parameters()))
same, net.weight is twin.weight, torch.allclose(net.weight + 1, twin.weight)
# %% timing_with_time
import time
import torch
class Timer:
    def __init__(self):
        self.times = []
        self.start()
    def start(self):
        self.tik = time.time()
    def stop(self):
        self.times.append(time.time() - self.tik)
        return self.times[-1]
timer = Timer()
a = torch.ones(100)
c = torch.zeros(100)
for i in range(100):
    c[i] = a[i] + 1
print(f'{timer.stop():.5f} sec')
# %% accumulator
class Accumulator:
    \"\"\"Sums over n variables.\"\"\"
    def __init__(self, n):
        self.data = [0.0] * n
    def add(self, *args):
        self.data = [a + float(b) for a, b in zip(self.data, args)]
    def reset(self):
        self.data = [0.0] * len(self.data)
    def __getitem__(self, idx):
        return self.data[idx]
metric = Accumulator(2)
metric.add(3, 4)
metric[0] / metric[1]
# %% main_guard_and_types
from typing import List, Optional
import torch
from torch import Tensor, nn
def mean(values: List[float], default: Optional[float] = None) -> float | None:
    total: float = sum(values)
    return total / len(values) if values else default
def main() -> None:
    x: Tensor = torch.ones(2)
    print(mean(x.tolist()), mean([]))
if __name__ == '__main__':
    main()
# %% dataclass_settings
from dataclasses import dataclass, field
@dataclass
class Config:
    lr: float = 0.1
    sizes: list = field(default_factory=lambda: [4, 8])
    def layers(self):
        return len(self.sizes)
config = Config(lr=0.2)
config.lr *= 2
print(config, config.layers())
# %% linear_algebra
import torch
A = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
values, vectors = torch.linalg.eigh(A)
Q, R = torch.linalg.qr(A)
result = torch.linalg.svd(A)
print(torch.linalg.solve(A, torch.ones(2)), torch.det(A), A.inverse() @ A, result.S)
torch.einsum('ij,jk->ik', A, A), torch.outer(A[0], A[1]), A.topk(1).indices, A.max(dim=1).values
# %% distributions
import torch
from torch.distributions import Normal
from torch import distributions
torch.manual_seed(1)
fair = torch.ones(6) / 6
counts = distributions.Multinomial(10, fair).sample((5,))
n = Normal(0.0, 1.0)
counts.sum(dim=0), n.log_prob(torch.tensor(0.0)), n.sample().item()
# %% random_state
import torch
g = torch.Generator().manual_seed(3)
a = torch.rand(2, generator=g)
state = torch.get_rng_state()
b = torch.randn(2)
torch.set_rng_state(state)
assert torch.equal(b, torch.randn(2))
a, torch.randperm(4, generator=g), torch.random.initial_seed()
# %% meta_device
import torch
from torch import nn
with torch.device('meta'):
    big = nn.Linear(10000, 10000)
print(big.weight.device, big.weight.numel(), big.weight.is_meta)
big = big.to_empty(device='cpu') if big.weight.numel() < 10 else big
big.weight.dtype.itemsize, torch.finfo(torch.float32).eps
# %% bit_and_compare
import torch
x = torch.tensor([1, 2, 3])
y = (x > 1) & (x < 3) | ~(x == 1)
flags = x << 1 ^ 3
print(y, flags, x // 2, x % 2, -x, +x, 1 < 2 <= 3, 2 in [1, 2], not y.all(), x.any() and True)
# %% generator_expressions
import itertools
from functools import partial
batches = (range(i, i + 2) for i in range(0, 6, 2))
total = sum(sum(b) for b in batches)
pairs = list(itertools.product('ab', range(2)))
add = partial(max, 3)
total, pairs, add(1), next(iter(pairs)), any(x > 2 for x in range(4)), dict(zip('ab', range(2)))
# %% loss_functions
import torch
import torch.nn.functional as F
from torch import nn
logits = torch.tensor([[2.0, 0.5, -1.0]])
target = torch.tensor([0])
print(F.cross_entropy(logits, target), nn.NLLLoss()(F.log_softmax(logits, dim=-1), target))
print(F.mse_loss(logits, torch.zeros(1, 3), reduction='sum'), F.one_hot(target, num_classes=3))
nn.functional.softmax(logits, dim=-1).sum()
# %% optimizers_by_name
import torch
from torch import nn
for name in ['SGD', 'Adam', 'RMSprop']:
    net = nn.Linear(1, 1)
    optimizer = getattr(torch.optim, name)(net.parameters(), lr=0.1)
    net(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    print(name, type(optimizer).__name__, optimizer.state_dict()['param_groups'][0]['lr'])
# %% functional_transforms
import torch
from torch.func import functional_call, grad, vmap
def f(x):
    return (x ** 3).sum()
x = torch.arange(3.0)
net = torch.nn.Linear(3, 1)
params = dict(net.named_parameters())
grad(f)(x), vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3)), functional_call(net, params, (x,))
# %% iterators
class Batches:
    def __init__(self, xs, size):
        self.xs, self.size = xs, size
    def __iter__(self):
        for i in range(0, len(self.xs), self.size):
            yield self.xs[i:i + self.size]
    def __call__(self, x):
        return x in self.xs
    def __repr__(self):
        return f'Batches of {self.size}'
batches = Batches(list(range(5)), 2)
list(batches), batches(3), batches
# %% weights_to_vectors
import torch
from torch import nn
from torch.nn import init
from torch.nn.utils import parameters_to_vector, vector_to_parameters
net = nn.Linear(3, 2)
init.kaiming_normal_(net.weight, mode='fan_in', nonlinearity='relu')
vector = parameters_to_vector(net.parameters())
vector_to_parameters(torch.zeros_like(vector), net.parameters())
vector.shape, net.weight.abs().sum().item() == 0.0
# %% chinese_text_and_comments
import torch
# 这是注释：全角标点在注释里没有问题，（）也可以。
print('你好，张量', torch.ones(2).sum().item(), "形状：{}".format((2,)))
""")
