"""Each exercise: the start falls short, the model does not, a written-out answer fails."""

import re

import pytest

from playground import catalog, sandbox
from playground.lab import exercises
from playground.machines import Machine
from playground.sandbox.report import SandboxReport
from tests.lab.in_process import run

EXERCISES = exercises.exercises()
IDS = [each.id for each in EXERCISES]
every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    monkeypatch.setattr(sandbox, "run", run, raising=False)


@every_exercise
def test_the_start_falls_short_and_the_model_passes_and_without_a_definition_nothing_does(exercise):
    start = exercises.grade(exercise, exercise.program)
    model = exercises.grade(exercise, exercise.model)
    other = exercises.grade(exercise, "result = True\nprint('done')")

    assert start.report.ok
    assert not start.is_solved
    assert len(start.findings) == start.passed.count(False) > 0
    assert (model.report.violations, model.report.message, model.findings) == ((), "", ())
    assert model.is_solved
    assert not any(other.passed)


PARALLEL = """
class Parallel(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.a, self.b = a, b
    def forward(self, X):
        return {}
"""
REDUCTION = """
class TensorReduction(nn.Module):
    def __init__(self, in_units, units):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_units, in_units, units))
    def forward(self, X):
        return {}
"""
SPECTRUM = """
class HalfSpectrum(nn.Module):
    def forward(self, X):
        return torch.fft.{}
"""
REUSE = """
import copy
def reuse(net, units, shared):
    return nn.Sequential(*{}, nn.Linear(net[-1].in_features, units))
"""
LOAD = """
def load_part(net, file):
    saved = torch.load(file)
    {}
    net.load_state_dict(fits, strict=False)
    return list(fits)
"""
NORMS = """
def norms(X, Y):
    P, Q = X.to("cuda:0"), Y.to("cuda:1")
    {}
    return a.item(), b.item()
"""
DROPOUT = """
class Dropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p
    def forward(self, X):
        mask = torch.rand_like(X) > self.p
        return {}
"""
CLOCK = """
import time
def seconds(work):
    {}
    start = time.perf_counter()
    work()
    {}
    return time.perf_counter() - start
"""
EVALUATE = """
def evaluate(net, X, y):
    {}
    return (net(X).argmax(dim=1) == y).float().mean().item()
"""
CHEATS = (
    ("count-once", "def count(net):\n    return 15"),
    ("count-once", "def count(net):\n    return 90"),
    ("add-anywhere", "def add(X, Y):\n    return X.to('cuda:0') + Y.to('cuda:0')"),
    ("to-numpy", "import numpy as np\ndef to_numpy(x):\n    return np.ones(3)"),
    ("center-columns", "class CenteredLayer(nn.Module):\n    def forward(self, X): return 0 * X"),
    ("freeze", "def freeze(net):\n    net.requires_grad_(False)"),
    ("make-ready", "def ready(net, X):\n    net(X).sum().backward()"),
    ("save-and-rebuild", "def twin(net, make):\n    return net.eval()"),
    ("training-step", "def train_step(net, optimizer, X, y):\n    return 0.5"),
    ("initialize", "def init(m):\n    nn.init.zeros_(m.bias)"),
    ("parallel", PARALLEL.format("torch.cat([self.a(X), self.b(X)], dim=1)")),
    ("parallel", PARALLEL.format("torch.cat([self.b(X), self.a(X)], dim=-1)")),
    ("tensor-reduction", REDUCTION.format("X.square() @ self.weight.diagonal().T")),
    ("tensor-reduction", REDUCTION.format("(X @ self.weight.sum(0))")),
    ("half-spectrum", SPECTRUM.format("rfft(X)")),
    ("half-spectrum", SPECTRUM.format("fft(X)[:, :4]")),
    ("half-spectrum", SPECTRUM.format("ifft(X)[..., : X.shape[-1] // 2]")),
    ("reuse-layers", REUSE.format("copy.deepcopy(net[:-1])")),
    ("reuse-layers", REUSE.format("net[:-1]")),
    ("load-a-part", LOAD.format("fits = saved")),
    ("load-a-part", LOAD.format("fits = {}")),
    ("two-gpus", NORMS.format("a = (P @ P).norm(); torch.cuda.synchronize(); b = (Q @ Q).norm()")),
    ("two-gpus", NORMS.format("a = (P @ P).norm(); print(a); b = (Q @ Q).norm()")),
    ("two-gpus", NORMS.format("a = (P @ P).norm(); f'{a:.2f}'; b = (Q @ Q).norm()")),
    ("two-gpus", NORMS.format("a = (P @ P).norm().cpu(); b = (Q @ Q).norm()")),
    ("two-gpus", NORMS.format("Q = Q.to('cuda:0'); a, b = (P @ P).norm(), (Q @ Q).norm()")),
    ("two-gpus", NORMS.format("a, b = (X @ X).norm().to('cuda:0'), (Y @ Y).norm().to('cuda:1')")),
    ("flat-loss", "def mse(y_hat, y):\n    return ((y_hat[:, 0] - y) ** 2).mean()"),
    ("try-gpu", "def try_gpu(i=0):\n    return torch.device('cpu' if i else 'cuda:0')"),
    ("spread", "def spread(batches):\n    return [b.to('cuda:1') for b in batches[::-1]]"),
    (
        "make-mlp",
        "def mlp(widths):\n    return nn.Sequential("
        "*(nn.Linear(a, b) for a, b in zip(widths, widths[1:])))",
    ),
    ("one-image", "def predict(net, image):\n    return net(image.reshape(1, -1)).argmax().item()"),
    ("one-image", "def predict(net, image):\n    return net(image[None]).argmax()"),
    ("dropout", DROPOUT.format("mask * X / (1 - self.p)")),
    ("dropout", DROPOUT.format("mask * X if self.training else X")),
    ("dropout", DROPOUT.format("X")),
    (
        "gradient-norms",
        "def gradient_norms(net):\n    return {name: 0.0 for name, _ in net.named_parameters()}",
    ),
    (
        "my-init",
        "def my_init(m):\n    if isinstance(m, nn.Linear): nn.init.uniform_(m.weight, 5, 10)",
    ),
    (
        "strip-prefix",
        "def load(net, state):\n    net.load_state_dict("
        "{k.removeprefix('module.'): v for k, v in state.items()}, strict=False)",
    ),
    (
        "strip-prefix",
        "def load(net, state):\n    net.load_state_dict({k[7:]: v for k, v in state.items()})",
    ),
    (
        "resume",
        "def resume(file, net, optimizer):\n    saved = torch.load(file)\n"
        "    optimizer.load_state_dict(saved['optimizer'])",
    ),
    ("clock", CLOCK.format("", "torch.cuda.synchronize()")),
    ("clock", CLOCK.format("torch.cuda.synchronize()", "")),
    ("evaluate", EVALUATE.format("net.eval()")),
    ("evaluate", EVALUATE.format("torch.set_grad_enabled(False)")),
    (
        "accumulate",
        "def accumulate(net, X, y, parts):\n    net.zero_grad()\n"
        "    nn.functional.mse_loss(net(X), y).backward()",
    ),
    (
        "residual",
        "class Residual(nn.Module):\n    def __init__(self, inner):\n        super().__init__()\n"
        "        self.f = [inner]\n    def forward(self, X):\n        return X + self.f[0](X)",
    ),
)
OTHER_ANSWERS = (
    ("parallel", PARALLEL.format("torch.concat((self.a(X), self.b(X)), -1)")),
    (
        "tensor-reduction",
        REDUCTION.format("nn.functional.bilinear(X, X, self.weight.permute(2, 0, 1))"),
    ),
    ("half-spectrum", SPECTRUM.format("rfft(X)[..., : X.shape[-1] // 2]")),
    ("reuse-layers", REUSE.format("(f if shared else copy.deepcopy(f) for f in net[:-1])")),
    ("two-gpus", NORMS.format("a, b = torch.mm(P, P).norm(), torch.linalg.norm(Q.matmul(Q))")),
    ("two-gpus", NORMS.format("P, Q = P @ P, Q @ Q; a, b = P.norm().cpu(), (Q * Q).sum().sqrt()")),
    (
        "two-gpus",
        "def norms(X, Y):\n    a, b = X.cuda(), Y.cuda(1)\n    a, b = a @ a, b @ b\n"
        "    return float(a.cpu().norm()), float(b.cpu().norm())",
    ),
    ("dropout", DROPOUT.format("nn.functional.dropout(X, self.p, self.training)")),
    (
        "evaluate",
        "@torch.inference_mode()\ndef evaluate(net, X, y):\n    mode = net.training\n"
        "    right = net.eval()(X).argmax(-1).eq(y).sum()\n    net.train(mode)\n"
        "    return right.item() / len(y)",
    ),
)


@pytest.mark.parametrize(("id", "source"), CHEATS)
def test_an_answer_for_one_case_does_not_pass(id, source):
    grade = exercises.grade(exercises.exercise(id), source)

    assert grade.report.ok
    assert not grade.is_solved


@pytest.mark.parametrize(("id", "source"), OTHER_ANSWERS)
def test_an_answer_that_is_written_otherwise_passes_too(id, source):
    grade = exercises.grade(exercises.exercise(id), source)

    assert (grade.findings, grade.is_solved) == ((), True)


def test_a_text_that_the_check_refuses_is_not_tried():
    grade = exercises.grade(EXERCISES[0], "eval('1')")

    assert [each.id for each in grade.report.violations] == ["code_from_text"]
    assert grade.passed == ()


@pytest.mark.parametrize(
    "forged",
    ["-" * 69_999 + "1", "1+" * 34_999 + "1", "[" * 60_000, "[[]," * 17_000, "'" + "x" * 69_000],
    ids=lambda text: text[:4],
)
def test_a_result_that_cannot_be_read_passes_nothing(forged, monkeypatch):
    monkeypatch.setattr(sandbox, "run", lambda *_, **__: SandboxReport(ok=True, result=forged))

    graded = exercises.grade(EXERCISES[0], "x = 1")

    assert not any(graded.passed)
    assert set(graded.findings) == {""}


@pytest.mark.parametrize("machine", [Machine(gpus=0), Machine(kind="real")], ids=str)
def test_checks_run_where_there_are_two_gpus(machine):
    exercise = exercises.exercise("add-anywhere")

    assert exercises.grade(exercise, exercise.model, machine).is_solved


def test_there_are_thirty_of_them_over_all_lessons_in_their_order():
    order = [each.name for each in catalog.lessons()]
    ids = [name for each in EXERCISES for name in each.ids]
    assert len(set(ids)) == len(ids) >= 30
    places = [order.index(each.lesson) for each in EXERCISES]
    assert places == sorted(places)
    assert set(places) == set(range(len(order)))


@every_exercise
def test_each_text_stands_in_both_languages(exercise):
    for text in (exercise.title, exercise.task, *exercise.hints, *exercise.requirements):
        spans = [sorted(set(re.findall(r"`[^`]+`", said))) for said in (text.en, text.zh)]
        assert spans[0] == spans[1]
        assert re.search("[\u4e00-\u9fff]", text.zh)
        assert not re.search("[!！]", text.en + text.zh)


@every_exercise
def test_there_are_three_hints_of_which_the_first_holds_no_line_of_the_solution(exercise):
    known = exercise.program.splitlines()
    lines = [each.strip() for each in exercise.model.splitlines() if each not in known]

    assert len({each.en for each in exercise.hints}) == 3
    assert lines
    assert not any(each in exercise.hints[0].en for each in lines)


def test_an_older_link_leads_to_the_exercise_and_an_unknown_one_nowhere():
    assert exercises.exercise("initialise").id == "initialize"
    with pytest.raises(KeyError):
        exercises.exercise("none")
