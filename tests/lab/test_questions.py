import pytest

from playground.lab.questions import questions, sentences
from tests.lab.in_process import run

TRAIN = """
import torch
from torch import nn
X, y = torch.randn(64, 3), torch.randn(64, 1)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(30):
    optimizer.zero_grad()
    loss = ((net(X) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
TWO_LAYERS = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.spare = nn.Linear(3, 1), nn.Linear(3, 1)
    def forward(self, X):
        return self.used(X)
net = Net()
net(torch.ones(2, 3)).sum().backward()
"""
SOFTMAX = """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))
nn.CrossEntropyLoss()(net(torch.ones(4, 2)), torch.tensor([0, 1, 2, 0]))
"""


def asked(program):
    report = run(program)
    assert report.ok, report.message
    found = questions(report, program)
    for each in found:
        assert "{" not in each.sentence.en + each.sentence.zh
    return {each.id: each for each in found}


@pytest.mark.parametrize(
    ("name", "program", "line"),
    [
        ("lost-copy", "import torch\nX = torch.ones(2)\nX.to('cuda:0')\nY = X + 1\n", 3),
        ("lost-copy", "import torch\nX = torch.ones(2, 3)\nX.reshape(6)\nprint(X)\n", 3),
        ("no-zero-grad", TRAIN.replace("    optimizer.zero_grad()\n", ""), 7),
        ("no-step", TRAIN.replace("    optimizer.step()\n", ""), 7),
        ("softmax-twice", SOFTMAX, 4),
        ("no-gradient", TWO_LAYERS, None),
        ("loss-flat", TRAIN.replace("SGD(net", "SGD(nn.Linear(3, 1)"), None),
        ("loss-grows", TRAIN.replace("lr=0.1", "lr=1.1"), None),
        ("loss-not-finite", TRAIN.replace("lr=0.1", "lr=1e9"), None),
    ],
)
def test_what_is_perhaps_not_meant_is_asked(name, program, line):
    found = asked(program)

    assert list(found) == [name]
    assert found[name].line == line


@pytest.mark.parametrize(
    "program",
    [
        TRAIN,
        TRAIN.replace("optimizer.zero_grad()", "net.weight.grad = None"),
        TWO_LAYERS.replace("self.used(X)", "self.used(X) + self.spare(X)"),
        TWO_LAYERS.replace(".backward()", ""),
        SOFTMAX.replace("nn.CrossEntropyLoss()", "print"),
        "import torch\nfrom torch import nn\nnet = nn.Linear(2, 1)\nnet.to('cuda:0')\nprint(1)\n",
        "import torch\nX = torch.ones(2)\nX.to('cuda:0')\n",  # its value is shown
        "import torch\nX = torch.ones(2)\nX.add_(1)\nprint(X)\n",
    ],
)
def test_of_a_program_that_does_what_is_meant_nothing_is_asked(program):
    assert asked(program) == {}


def test_the_numbers_of_the_loss_are_those_of_plain_torch():
    program = """
import torch
w = torch.tensor(1.0, requires_grad=True)
for step in range(20):
    w.grad = None
    loss = 3 + 0 * w + step
    loss.backward()
"""
    values = asked(program)["loss-grows"].values

    assert values == {"steps": "20", "first": "3.5", "last": "21.5"}  # means of two of twenty


def test_commands_of_a_notebook_hide_no_question():
    program = "import torch\nX = torch.ones(2)\nX.to('cuda:0')\nY = X + 1\n"
    in_notebook = program.replace("import torch", "%matplotlib inline")

    assert [each.line for each in questions(run(program), in_notebook)] == [3]


def test_an_error_leads_to_no_question_and_every_sentence_is_said_in_both_languages():
    failed = run("import torch\nX = torch.ones(2)\nX.to('cpu')\n1 / 0")

    assert failed.error_type == "ZeroDivisionError"
    assert questions(failed, "X.to('cpu')") == ()
    assert all(each.en.endswith("?") and each.zh.endswith("？") for each in sentences().values())
