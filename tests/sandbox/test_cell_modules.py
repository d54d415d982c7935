from textwrap import indent

import pytest

from playground.machines import Machine
from playground.sandbox.module_report import GradientVerdict as Verdict
from playground.sandbox.module_report import InputOrigin, Missing, ModuleReport
from tests.sandbox.cells import run_in_parts

IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n\n\n"


def module(name, init, forward):
    """The source of a class, by the lines of its constructor and of its forward."""
    init, forward = (indent(f"{lines.strip()}\n", " " * 8) for lines in (init, forward))
    return (
        f"class {name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n{init}\n"
        f"    def forward(self, X):\n{forward}\n\n"
    )


MLP = module(
    "MLP",
    "self.hidden = nn.Linear(20, 256)\nself.out = nn.Linear(256, 10)",
    "return self.out(F.relu(self.hidden(X)))",
)


def modules_of(source, **options):
    answer, seen, output = run_in_parts(IMPORTS + source, **options)
    assert answer.error_type == "", answer.message
    return {each.name: each for each in seen.modules}


def test_a_bound_module_is_traced_with_what_it_was_called_with():
    net = modules_of(MLP + "net = MLP()\nnet(torch.rand(7, 20))")["net"]

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


def test_a_class_that_needs_arguments_is_named():
    source = "class Block(nn.Module):\n    def __init__(self, size):\n        super().__init__()\n"
    block = modules_of(source)["Block"]
    assert (block.missing, block.trace) == (Missing.NEEDS_ARGUMENTS, None)


def test_an_instance_inside_a_network_stands_for_its_class():
    reports = modules_of(
        MLP + "net = nn.Sequential(MLP(), nn.Linear(10, 3))\nnet(torch.rand(2, 20))"
    )

    assert list(reports) == ["net", "MLP"]
    assert reports["MLP"].input_origin is InputOrigin.CALLED
    assert reports["MLP"].trace.rows[0].input_shapes == ((2, 20),)


@pytest.mark.parametrize(
    ("source", "shape"),
    [
        ("nn.Sequential(nn.Conv2d(1, 6, 5), nn.Flatten(), nn.Linear(6 * 24 * 24, 10))", (2, 10)),
        ("nn.Sequential(nn.Conv2d(3, 6, 3), nn.Flatten(), nn.Linear(6 * 30 * 30, 4))", (2, 4)),
        ("nn.Sequential(nn.Embedding(11, 6), nn.Linear(6, 2))", (2, 5, 2)),
        ("nn.LSTM(4, 8)", (2, 5, 8)),
        ("nn.TransformerEncoderLayer(8, 2)", (2, 5, 8)),
        ("nn.Sequential(nn.BatchNorm2d(3))", (2, 3, 8, 8)),
        ("nn.Sequential(nn.Linear(5, 1))\nX = torch.rand(3, 5)", (3, 1)),
        (f"None\n{MLP}", (2, 10)),  # a class that needs no arguments
    ],
)
def test_an_input_is_a_variable_or_guessed_after_the_first_layer(source, shape):
    [report] = modules_of(f"net = {source}").values()

    assert report.input_origin is (InputOrigin.VARIABLE if "X =" in source else InputOrigin.GUESSED)
    assert report.trace.outcome.ok, report.trace.outcome
    assert report.trace.rows[0].output_shapes[0] == shape


def test_a_guess_leaves_lazy_layers_as_they_are():
    net = modules_of("net = nn.Sequential(nn.LazyLinear(3))")["net"]

    assert net.trace.rows[0].output_shapes == ((2, 3),)
    assert [row.shape for row in net.parameters] == [(), ()]
    assert net.gradient_missing is Missing.LAZY


def test_shapes_that_do_not_fit_are_a_trace_that_failed():
    source = MLP + "net = MLP()\ntry:\n    net(torch.rand(2, 19))\nexcept RuntimeError:\n    pass"
    net = modules_of(source)["net"]

    assert (net.trace.outcome.ok, net.trace.failed_at) == (False, "hidden")
    assert net.gradient_missing is Missing.NEEDS_INPUT


def test_tied_parameters_are_reported():
    reports = modules_of("shared = nn.Linear(8, 8)\nnet = nn.Sequential(shared, nn.ReLU(), shared)")

    assert list(reports) == ["net"]  # the shared layer is inside it
    assert [group.paths for group in reports["net"].trace.tie_groups] == [
        ("0.weight", "2.weight"),
        ("0.bias", "2.bias"),
    ]
    assert reports["net"].total_parameters == 72


def test_losses_and_functions_are_not_worth_a_report():
    source = "loss = nn.CrossEntropyLoss()\nrelu = nn.ReLU()\nlayer = nn.Linear(2, 2)"
    assert list(modules_of(source)) == ["layer"]


DOUBLED = """class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2
    @staticmethod
    def backward(context, gradient):
        return gradient * 3  # it should be 2
"""
WRONG = module(
    "Wrong",
    "self.scale = nn.Parameter(torch.ones(2))\nself.shift = nn.Parameter(torch.ones(2))",
    "return X * Doubled.apply(self.scale) + self.shift",
)
WRONG = f"{DOUBLED}{WRONG}net = Wrong()\nnet(torch.rand(5, 2))"
WAYS = module(
    "Ways",
    """
for name in ("fine", "past", "unused", "frozen", "dead", "detached"):
    setattr(self, name, nn.Parameter(torch.rand(4) + 0.5))
self.frozen.requires_grad_(False)
""",
    """
X = X * self.fine * self.frozen * self.detached.detach()
return X * self.past.data + torch.relu(-self.dead)
""",
)
COUNTING = module(
    "Counting",
    "self.weight = nn.Parameter(torch.ones(2))\nself.calls = 0",
    "self.calls += 1\nreturn X * self.weight * self.calls",
)
CAST = module(
    "Cast",
    'self.out = nn.Linear(4, 3, device="cuda")',
    'return self.out(X.to("cuda")) * torch.ones(3, device="cuda:0")',
)
FIXED = module(
    "Fixed",
    "self.fixed, self.listed = torch.rand(3, 3), [nn.Linear(3, 3)]\nself.linear = nn.Linear(3, 3)",
    "return self.listed[0](self.linear(X) @ self.fixed)",
)


def matching(*layers):
    return {f"{each}.{name}": Verdict.MATCHES for each in layers for name in ("weight", "bias")}


@pytest.mark.parametrize(
    ("source", "device", "missing", "expected"),
    [
        (
            WAYS + "net = Ways()\nnet(torch.rand(3, 4) + 0.5)",
            *("cpu", None),
            {
                "fine": Verdict.MATCHES,
                "past": Verdict.CUT,
                "unused": Verdict.UNUSED,
                "frozen": Verdict.FROZEN,
                "dead": Verdict.ZERO,
                "detached": Verdict.CUT,
            },
        ),
        (WRONG, "cpu", None, {"scale": Verdict.DIFFERS, "shift": Verdict.MATCHES}),
        (
            COUNTING + "net = Counting()\nnet(torch.ones(2))",
            *("cpu", Missing.RANDOM, {"weight": Verdict.NOT_CHECKED}),
        ),
        (MLP + "net = MLP()", "cpu", None, matching("hidden", "out")),
        (
            "net = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5), nn.Linear(6, 2))",
            *("cpu", None, matching("0", "2")),  # with the same draws
        ),
        (CAST + "net = Cast()\nnet(torch.rand(2, 4))", "cuda:0", None, matching("out")),
        (
            "net = nn.Sequential(nn.Linear(4, 3)).cuda(1)\nnet(torch.rand(2, 4).cuda(1))",
            *("cuda:1", None, matching("0")),
        ),
        # beside a constant, and a layer in a list, which is none of its own
        (FIXED + "net = Fixed()\nnet(torch.rand(2, 3))", "cpu", None, matching("linear")),
    ],
    ids=["ways", "wrong", "counting", "mlp", "dropout", "cast", "gpu", "fixed"],
)
def test_each_gradient_has_its_verdict(source, device, missing, expected):
    net = modules_of(source, machine=Machine(gpus=2))["net"]

    assert {row.name: row.verdict for row in net.parameters} == expected
    assert {row.device for row in net.parameters} | {net.trace.rows[-1].device} == {device}
    assert net.gradient_missing is missing


def test_a_wrong_backward_is_reported_with_how_much_it_differs():
    wrong = modules_of(WRONG)["net"].parameters[0]
    assert wrong.gradient == pytest.approx(1.5 * wrong.difference)


def test_a_large_network_is_not_looked_at():
    net = modules_of("net = nn.Sequential(*[nn.ReLU() for i in range(600)])")["net"]
    assert net.missing is Missing.TOO_LARGE


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
    reports = modules_of("\n".join(f"net{i} = nn.Sequential(*{layers})" for i in range(9)))
    first = reports["net0"]

    assert len(reports) == ModuleReport.MAX_MODULES
    assert len(first.trace.rows) == ModuleReport.MAX_ROWS
    assert first.rows_left_out == 201 - ModuleReport.MAX_ROWS
    assert first.parameters_left_out == 400 - ModuleReport.MAX_PARAMETERS
    assert first.total_parameters == 200 * 6
