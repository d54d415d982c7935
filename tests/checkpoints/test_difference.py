"""Two files beside each other; the oracle is plain torch in this process."""

import copy
import io
import math
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn

from playground.checkpoints import load as loading
from playground.checkpoints.difference import (
    Basis,
    Change,
    DifferenceReport,
    compare_files,
    pair_tensors,
)
from playground.checkpoints.inspect import inspect
from playground.checkpoints.jailed.difference import compare_checkpoints
from playground.checkpoints.load_results import LoadVerdict
from playground.checkpoints.save import full_checkpoint, save_safetensors, save_torch
from playground.sandbox.limits import LIMITS

NAN, INF = math.nan, math.inf
STATES = (
    {"weight": torch.ones(2, 3), "bias": torch.zeros(2), "count": torch.ones(2)},
    {"weight": torch.ones(2, 3), "bias": torch.ones(2), "count": torch.tensor([NAN, 1.0])},
)


def compared(first: object, second: object, *, save: Any = save_torch) -> DifferenceReport:
    files = save_torch(first).data, save(second).data
    return compare_files(*files, tuple(inspect(each, "net.pt") for each in files))


def changes(report: DifferenceReport) -> dict[str, Change]:
    return {each.name: each.change for each in report.pairs}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (torch.tensor([3.0, 4.0, 0.0]), torch.tensor([3.0, 4.5, -0.25])),
        (torch.arange(24.0).reshape(4, 6).T, torch.arange(24.0).reshape(6, 4)),
        (torch.tensor(7), torch.tensor(5)),
        (torch.tensor([1, 250, 3], dtype=torch.uint8), torch.tensor([2, 1, 3], dtype=torch.uint8)),
        (torch.tensor([1 + 2j, 3j]), torch.tensor([1 + 2j, 4 - 3j])),
        (torch.ones(1).expand(7), torch.arange(7.0)),
        (torch.tensor([1 / 3, 2 / 3]), torch.tensor([1 / 3, 2 / 3]).half()),
        (torch.tensor([1e300], dtype=torch.float64), torch.tensor([2e300], dtype=torch.float64)),
    ],
    ids=["float", "strides", "count", "uint8", "complex", "expanded", "half", "large"],
)
def test_values_are_as_far_apart_as_plain_torch_says(jailed, first, second):
    (pair,) = compared({"weight": first}, {"weight": second}).pairs

    wide = torch.complex128 if first.is_complex() else torch.float64
    before, apart = first.to(wide), (second.to(wide) - first.to(wide)).abs()
    assert pair.change is (Change.CHANGED if first.dtype == second.dtype else Change.DTYPE)
    assert pair.distance.changed == int((apart > 0).sum())
    assert pair.distance.maximum == apart.max().item()
    assert pair.distance.mean == pytest.approx(apart.mean().item())
    scale = before.abs().max()
    expected = ((apart / scale).norm() / (before / scale).norm()).item()
    assert pair.distance.relative == pytest.approx(expected)
    assert pair.distance.not_finite == (0, 0)


def test_what_matters_most_comes_first_and_nothing_is_left_out(jailed):
    first = {
        "0.equal": torch.ones(3),
        "0.equal_nan": torch.tensor([NAN, 1.0]),
        "1.little": torch.ones(4),
        "1.much": torch.ones(4),
        "1.from_zero": torch.zeros(4),
        "2.dtype": torch.ones(2),
        "3.gone": torch.ones(1),
        "4.shape": torch.ones(2, 3),
        "5.broken": torch.tensor([1.0, 2.0, 3.0, -INF]),
    }
    second = first | {
        "1.little": torch.tensor([1.0, 1.0, 1.0, 1.5]),
        "1.much": torch.full((4,), 3.0),
        "1.from_zero": torch.full((4,), 0.01),
        "2.dtype": torch.ones(2, dtype=torch.float64),
        "4.shape": torch.ones(3, 2),
        "5.broken": torch.tensor([1.0, 2.5, 3.0, 4.0]),
        "6.new": torch.ones(1),
    }
    del second["3.gone"]

    report = compared(first, second)

    assert list(changes(report).items()) == [
        ("5.broken", Change.NOT_FINITE),
        ("4.shape", Change.SHAPE),
        ("3.gone", Change.ONLY_FIRST),
        ("6.new", Change.ONLY_SECOND),
        ("2.dtype", Change.DTYPE),
        ("1.from_zero", Change.CHANGED),
        ("1.much", Change.CHANGED),
        ("1.little", Change.CHANGED),
        ("0.equal", Change.EQUAL),
        ("0.equal_nan", Change.EQUAL),
    ]
    found = {each.name: each.distance for each in report.pairs}
    broken = found["5.broken"]
    assert (broken.not_finite, broken.changed, broken.maximum) == ((1, 0), 2, 0.5)
    assert found["1.from_zero"].relative is None
    assert (found["1.much"].relative, found["1.little"].relative) == (2.0, 0.25)
    assert found["2.dtype"].changed == 0
    assert (report.common, sum(report.counts.values())) == (8, 10)


@pytest.mark.parametrize(
    ("first", "second", "basis", "prefix", "expected"),
    [
        ({"w": 1, "old": 1}, {"w": 1, "new": 1}, "all", "", {"w": "unknown"}),
        ({"model": {"0.weight": 1}, "best": 1}, {"0.weight": 1}, "models", "", {}),
        ({"0.weight": 1}, {"state_dict": {"0.weight": 2}}, "models", "", {"0.weight": "shape"}),
        ({"0.weight": 1}, {"module.0.weight": 1}, "prefix", "module.", {"0.weight": "unknown"}),
        ({"net.0.bias": 1}, {"model": {"0.bias": 1}}, "prefix", "net.", {"net.0.bias": "unknown"}),
        ([1, 1], {"0.weight": 1}, "all", "", {"0": "only_first", "0.weight": "only_second"}),
        (1, 1, "all", "", {"": "unknown"}),
        ({"0.weight": 1}, {"1.weight": 1}, "all", "", {"1.weight": "only_second"}),
    ],
)
def test_tensors_are_paired_by_their_names(first, second, basis, prefix, expected):
    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: filled(each) for name, each in value.items()}
        return [*map(filled, value)] if isinstance(value, list) else torch.ones(value)

    files = [inspect(save_torch(filled(each)).data, "net.pt") for each in (first, second)]
    report = pair_tensors(*files)

    assert (report.basis, report.prefix) == (Basis(basis), prefix)
    assert changes(report).items() >= expected.items()


def test_training_changes_what_was_trained_and_the_model_comes_before_its_optimizer(jailed):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(net[2].parameters(), lr=0.01)
    states = [copy.deepcopy(net.state_dict())]
    for epoch in range(2):
        net(torch.ones(3, 4)).sum().backward()
        optimizer.step()
        states.append(copy.deepcopy(full_checkpoint(net, optimizer, epoch)))

    of_models, whole = compared(*states[:2]), compared(*states[1:])

    assert of_models.basis is Basis.MODELS
    assert [(each.name, each.change) for each in of_models.pairs[2:]] == [
        ("0.weight", Change.EQUAL),
        ("0.bias", Change.EQUAL),
    ]
    assert of_models.counts == {Change.CHANGED: 2, Change.EQUAL: 2}
    changed = [each for each in whole.pairs if each.change is Change.CHANGED]
    assert [each.name.split(".")[0] for each in changed] == ["model"] * 2 + ["optimizer"] * 6
    for part in (changed[:2], changed[2:]):
        moved = [each.relative for each in part]
        assert moved == sorted(moved, reverse=True)


def test_the_same_bytes_twice_and_the_same_tensors_in_two_formats(jailed, monkeypatch):
    state = nn.Linear(3, 2).state_dict()

    other = compared(state, state, save=save_safetensors)
    monkeypatch.setattr(loading.jail, "run", lambda *_, **__: pytest.fail("it reached the jail"))
    same = compared(state, state)

    assert set(changes(other).values()) == {Change.EQUAL}
    assert not other.is_same_file
    assert same == DifferenceReport(is_same_file=True)


def test_the_largest_files_and_many_tensors_are_compared_given_the_time(jailed, monkeypatch):
    large = {f"{number}.weight": torch.rand(1000, 1000) for number in range(5)}
    moved = {name: each + 1 for name, each in large.items()}
    many = {f"{number}.bias": torch.ones(2) for number in range(1_900)}

    patient = replace(LIMITS, cpu_seconds=30, cpu_hard_seconds=31, wall_seconds=60.0)
    monkeypatch.setattr(loading.jail, "run", partial(loading.jail.run, limits=patient))
    report = compared(large, moved)
    crowd = compared(many, {name: each * 2 for name, each in many.items()})

    assert report.counts == {Change.CHANGED: 5}
    assert crowd.counts == {Change.CHANGED: 1_900}
    assert 200 < sum(each.distance is not None for each in crowd.pairs) < 1_900


def test_pairs_that_there_is_no_time_for_are_neither_equal_nor_changed():
    data = save_torch({"w": torch.ones(2)}).data
    asked = {"formats": ["torch"] * 2, "first_bytes": len(data), "pairs": [[0, 0]]}
    for seconds, equal in ((0, []), (30, [0])):
        both, limits = io.BytesIO(data * 2), replace(LIMITS, cpu_seconds=seconds)
        answer = compare_checkpoints(asked, both, limits)
        assert (answer["is_loaded"], answer["equal"], answer["changed"]) == (True, equal, [])


def test_the_honest_answer_is_believed(child):
    child()

    assert changes(compared(*STATES)) == {
        "count": Change.NOT_FINITE,
        "bias": Change.CHANGED,
        "weight": Change.EQUAL,
    }


LIES = (
    lambda answer: answer.update(fingerprints=answer["fingerprints"][::-1] + ["0"]),
    lambda answer: answer["fingerprints"].__setitem__(1, "0" * 64),
    lambda answer: answer["equal"].append(answer["changed"][0]),
    lambda answer: answer["equal"].append(3),
    lambda answer: answer["changed"].append(-1),
    lambda answer: answer["distances"].append(answer["distances"][0]),
    lambda answer: answer["distances"][0].update(pair=answer["equal"][0]),
    lambda answer: answer["distances"][0]["distance"].update(changed=3),
    lambda answer: answer["distances"][0]["distance"].update(changed=0),
    lambda answer: answer["distances"][0]["distance"].update(not_finite=[0, 3]),
    lambda answer: answer["distances"][1]["distance"].update(maximum=-1.0),
    lambda answer: answer["changed"].clear(),
)


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        *((lie, LoadVerdict.DISAGREES) for lie in LIES),
        (lambda answer: answer.update(is_loaded=False), LoadVerdict.UNREADABLE),
        (lambda answer: answer.update(more=1), LoadVerdict.STOPPED),
    ],
)
def test_without_an_answer_that_can_be_the_reason_and_what_the_inspections_say_are_left(
    change, verdict, child
):
    child(change)

    report = compared(*STATES)

    assert report.ending.verdict is verdict
    assert report.ending.instead.text("zh") != report.ending.instead.text("en")
    assert changes(report) == dict.fromkeys(STATES[0], Change.UNKNOWN)
