import pytest
import torch
from torch import nn

from playground.machines import Machine
from playground.sandbox.module_report import GradientVerdict, InputOrigin, Missing, ModuleReport
from tests.sandbox.cells import run_cell, run_in_parts

IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n\n\n"
MLP = """class MLP(nn.Module):
    def __init__(self, hidden=256):
        super().__init__()
        self.hidden = nn.Linear(20, hidden)
        self.out = nn.Linear(hidden, 10)

    def forward(self, X):
        return self.out(F.relu(self.hidden(X)))


"""


def modules_of(source, **options):
    answer, seen, output = run_in_parts(IMPORTS + source, **options)
    assert answer.error_type == "", answer.message
    return {each.name: each for each in seen.modules}, output


def verdicts(report):
    return {row.name: row.verdict for row in report.parameters}


def test_a_bound_module_is_traced_with_what_it_was_called_with():
    reports, _ = modules_of(MLP + "net = MLP()\nnet(torch.rand(7, 20))")

    net = reports["net"]
    assert net.is_defined_here
    assert net.input_origin is InputOrigin.CALLED
    assert net.trace.outcome.ok
    assert [(row.path, row.input_shapes, row.output_shapes) for row in net.trace.rows] == [
        ("", ((7, 20),), ((7, 10),)),
        ("hidden", ((7, 20),), ((7, 256),)),
        ("out", ((7, 256),), ((7, 10),)),
    ]
    assert net.total_parameters == 20 * 256 + 256 + 256 * 10 + 10
    assert [row.shape for row in net.parameters] == [(256, 20), (256,), (10, 256), (10,)]
    assert net.text.startswith("MLP(\n  (hidden): Linear(in_features=20, out_features=256")


def test_a_class_that_needs_no_arguments_is_made_and_its_input_guessed():
    reports, _ = modules_of(MLP)

    assert reports["MLP"].input_origin is InputOrigin.GUESSED
    assert reports["MLP"].trace.rows[0].output_shapes == ((2, 10),)
    assert set(verdicts(reports["MLP"]).values()) == {GradientVerdict.MATCHES}


def test_a_class_that_needs_arguments_is_named():
    source = "class Block(nn.Module):\n    def __init__(self, size):\n        super().__init__()\n"

    reports, _ = modules_of(source)

    assert reports["Block"].missing is Missing.NEEDS_ARGUMENTS
    assert reports["Block"].trace is None


def test_an_instance_inside_a_network_stands_for_its_class():
    source = MLP + "net = nn.Sequential(MLP(64), nn.Linear(10, 3))\nnet(torch.rand(2, 20))"

    reports, _ = modules_of(source)

    assert list(reports) == ["net", "MLP"]
    assert reports["MLP"].input_origin is InputOrigin.CALLED
    assert reports["MLP"].trace.rows[0].input_shapes == ((2, 20),)


def test_a_tensor_of_the_cell_is_tried_first():
    reports, _ = modules_of("X = torch.rand(3, 5)\nnet = nn.Sequential(nn.Linear(5, 1))")

    assert reports["net"].input_origin is InputOrigin.VARIABLE
    assert reports["net"].trace.rows[0].output_shapes == ((3, 1),)


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        ("nn.Sequential(nn.Conv2d(1, 6, 5), nn.Flatten(), nn.Linear(6 * 24 * 24, 10))", (2, 10)),
        ("nn.Sequential(nn.Conv2d(3, 6, 3), nn.Flatten(), nn.Linear(6 * 30 * 30, 4))", (2, 4)),
        ("nn.Sequential(nn.Embedding(11, 6), nn.Linear(6, 2))", (2, 5, 2)),
        ("nn.LSTM(4, 8)", (2, 5, 8)),
        ("nn.Sequential(nn.LazyLinear(3))", (2, 3)),
        ("nn.TransformerEncoderLayer(8, 2)", (2, 5, 8)),
        ("nn.Sequential(nn.BatchNorm2d(3))", (2, 3, 8, 8)),
    ],
)
def test_an_input_is_guessed_after_the_first_layer(made, shape):
    reports, _ = modules_of(f"net = {made}")

    assert reports["net"].trace.outcome.ok, reports["net"].trace.outcome
    assert reports["net"].trace.rows[0].output_shapes[0] == shape


def test_a_guess_leaves_lazy_layers_as_they_are():
    reports, _ = modules_of("net = nn.Sequential(nn.LazyLinear(3))")

    assert [row.shape for row in reports["net"].parameters] == [(), ()]
    assert reports["net"].gradient_missing is Missing.LAZY


def test_shapes_that_do_not_fit_are_a_trace_that_failed():
    source = MLP + "net = MLP()\ntry:\n    net(torch.rand(2, 19))\nexcept RuntimeError:\n    pass"

    reports, _ = modules_of(source)

    assert not reports["net"].trace.outcome.ok
    assert reports["net"].trace.failed_at == "hidden"
    assert reports["net"].gradient_missing is Missing.NEEDS_INPUT


def test_tied_parameters_are_told():
    source = "shared = nn.Linear(8, 8)\nnet = nn.Sequential(shared, nn.ReLU(), shared)"

    reports, _ = modules_of(source)

    assert list(reports) == ["net"]  # the shared layer is inside it
    assert [group.paths for group in reports["net"].trace.tie_groups] == [
        ("0.weight", "2.weight"),
        ("0.bias", "2.bias"),
    ]
    assert reports["net"].total_parameters == 72


def test_losses_and_functions_are_not_worth_a_report():
    source = "loss = nn.CrossEntropyLoss()\nrelu = nn.ReLU()\nlayer = nn.Linear(2, 2)"

    reports, _ = modules_of(source)

    assert list(reports) == ["layer"]


def test_each_way_to_lose_a_gradient_has_its_verdict():
    source = """class Ways(nn.Module):
    def __init__(self):
        super().__init__()
        for name in ("fine", "past", "unused", "frozen", "dead", "detached"):
            setattr(self, name, nn.Parameter(torch.rand(4) + 0.5))
        self.frozen.requires_grad_(False)

    def forward(self, X):
        X = X * self.fine * self.frozen * self.detached.detach()
        return X * self.past.data + torch.relu(-self.dead)


net = Ways()
net(torch.rand(3, 4) + 0.5)
"""
    reports, _ = modules_of(source)

    assert verdicts(reports["net"]) == {
        "fine": GradientVerdict.MATCHES,
        "past": GradientVerdict.CUT,
        "unused": GradientVerdict.UNUSED,
        "frozen": GradientVerdict.FROZEN,
        "dead": GradientVerdict.ZERO,
        "detached": GradientVerdict.CUT,
    }


def test_a_wrong_backward_is_found():
    source = """class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2

    @staticmethod
    def backward(context, gradient):
        return gradient * 3  # it should be 2


class Wrong(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))
        self.shift = nn.Parameter(torch.ones(2))

    def forward(self, X):
        return X * Doubled.apply(self.scale) + self.shift


net = Wrong()
net(torch.rand(5, 2))
"""
    reports, _ = modules_of(source)

    assert verdicts(reports["net"]) == {
        "scale": GradientVerdict.DIFFERS,
        "shift": GradientVerdict.MATCHES,
    }
    wrong = reports["net"].parameters[0]
    assert wrong.gradient == pytest.approx(1.5 * wrong.difference)


def test_dropout_is_checked_with_the_same_draws():
    source = "net = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5), nn.Linear(6, 2))"

    reports, _ = modules_of(source)

    assert set(verdicts(reports["net"]).values()) == {GradientVerdict.MATCHES}


def test_what_does_not_repeat_is_not_checked():
    source = """class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.calls = 0

    def forward(self, X):
        self.calls += 1
        return X * self.weight * self.calls


net = Counting()
net(torch.ones(2))
"""
    reports, _ = modules_of(source)

    assert reports["net"].gradient_missing is Missing.RANDOM
    assert verdicts(reports["net"]) == {"weight": GradientVerdict.NOT_CHECKED}


def test_a_network_on_a_simulated_gpu_is_looked_at_there():
    source = "net = nn.Sequential(nn.Linear(4, 3)).cuda(1)\nnet(torch.rand(2, 4).cuda(1))"

    reports, _ = modules_of(source, machine=Machine(gpus=2))

    assert [row.device for row in reports["net"].parameters] == ["cuda:1", "cuda:1"]
    assert reports["net"].trace.rows[0].device == "cuda:1"
    assert set(verdicts(reports["net"]).values()) == {GradientVerdict.MATCHES}


def test_gradients_are_checked_where_the_forward_itself_needs_a_gpu():
    source = """
class Cast(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 3, device="cuda")

    def forward(self, X):
        return self.out(X.to("cuda")) * torch.ones(3, device="cuda:0")


net = Cast()
net(torch.rand(2, 4))
"""
    reports, _ = modules_of(source, machine=Machine(gpus=1))

    assert [row.device for row in reports["net"].parameters] == ["cuda:0", "cuda:0"]
    assert set(verdicts(reports["net"]).values()) == {GradientVerdict.MATCHES}


@pytest.mark.parametrize(
    "body",
    [
        "    def forward(self, X):\n        raise SystemExit(3)",
        "    def forward(self, X):\n        return self.forward(X)",
        "    def __repr__(self):\n        return 1 / 0",
        "    def named_parameters(self, *a, **k):\n        raise ValueError",
        "    def __deepcopy__(self, memo):\n        return None",
        "    def forward(self, X):\n        return object()",
        "    def forward(self, X):\n        return print('loud') or X",
        "    def modules(self):\n        while True:\n            yield self",
        "    def __getattr__(self, name):\n        raise RuntimeError(name)",
        "    def __init__(self):\n        raise OSError",
    ],
)
def test_a_hostile_module_spoils_only_its_own_report(body):
    source = f"class Bad(nn.Module):\n{body}\n\n\ngood = nn.Linear(2, 3)\nprint('done')\n7"

    answer, seen, output = run_in_parts(IMPORTS + source)

    assert (answer.value, output, answer.error_type) == ("7", "done\n", "")
    names = [each.name for each in seen.modules]
    assert "good" in names or not names


def test_a_report_is_bounded():
    layers = "[nn.Linear(2, 2) for _ in range(200)]"
    source = "\n".join(f"net{i} = nn.Sequential(*{layers})" for i in range(9))

    reports, _ = modules_of(source)

    assert len(reports) == ModuleReport.MAX_MODULES
    first = reports["net0"]
    assert len(first.trace.rows) == ModuleReport.MAX_ROWS
    assert first.rows_left_out == 201 - ModuleReport.MAX_ROWS
    assert first.parameters_left_out == 400 - ModuleReport.MAX_PARAMETERS
    assert first.total_parameters == 200 * 6


def test_looking_changes_nothing_that_the_cell_has_shown():
    source = MLP + "torch.manual_seed(0)\nnet = MLP()\nnet.hidden.weight.sum().item()"
    torch_state = torch.get_rng_state()
    torch.manual_seed(0)
    expected = repr(nn.Linear(20, 256).weight.sum().item())
    torch.set_rng_state(torch_state)

    answer, _ = run_cell(IMPORTS + source)

    assert answer.value == expected
