"""The table of names and shapes, against what torch says about the same two networks."""

import re

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.parameter import is_lazy

from playground.checkpoints.keys import Fit, Shape, compare_keys, count_keys

NAMES = ("0.weight", "0.bias", "1.weight", "1.running_mean", "output.weight", "weight")
SHAPES = st.sampled_from([(), (1,), (2,), (1, 1), (2, 3)])
TABLES = st.dictionaries(st.sampled_from(NAMES), SHAPES)


class Holder(nn.Module):
    """A module with one parameter for each name of a table, dots included."""

    def __init__(self, shapes: dict[str, Shape]) -> None:
        super().__init__()
        for name, shape in shapes.items():
            owner, (*path, last) = self, name.split(".")
            for part in path:
                if part not in dict(owner.named_children()):
                    owner.add_module(part, nn.Module())
                owner = owner.get_submodule(part)
            owner.register_parameter(last, nn.Parameter(torch.zeros(shape)))


def torchs_table(net: nn.Module, state: dict[str, object]) -> dict[str, set[str]]:
    """Which names torch's own message names, by what it says about them."""
    expected: dict[str, set[str]] = {fit.value: set() for fit in Fit}
    try:
        net.load_state_dict(state)
    except RuntimeError as error:
        for line in str(error).splitlines():
            names = re.findall(r'"([^"]+)"', line)
            if "Missing key" in line:
                expected["missing"] |= set(names)
            elif "Unexpected key" in line:
                expected["unexpected"] |= set(names)
            elif found := re.match(r"\s*size mismatch for (\S+):", line):
                expected["size_mismatch"].add(found[1])
    return expected


@settings(max_examples=60)
@given(network=TABLES, file=TABLES)
@example(network={"weight": ()}, file={"weight": (1,)})  # as torch saved numbers before 0.4
def test_the_table_says_what_torchs_message_says(network, file):
    net = Holder(network)
    state = {name: torch.ones(shape) for name, shape in file.items()}

    rows = compare_keys(network, file)

    expected = torchs_table(net, state)
    for fit in (Fit.MISSING, Fit.UNEXPECTED, Fit.SIZE_MISMATCH):
        assert {row.name for row in rows if row.fit is fit} == expected[fit]
    loaded = {name for name, each in net.named_parameters() if bool((each == 1).all())}
    assert {row.name for row in rows if row.fit is Fit.FITS} == loaded


def test_a_lazy_layer_takes_the_files_shape():
    net = nn.LazyLinear(3)
    state = nn.Linear(5, 3).state_dict()
    network = {k: None if is_lazy(v) else tuple(v.shape) for k, v in net.state_dict().items()}

    rows = compare_keys(network, {name: tuple(each.shape) for name, each in state.items()})

    net.load_state_dict(state)
    assert network["weight"] is None
    assert net.weight.shape == (3, 5)
    assert count_keys(rows).all_fit


@pytest.mark.parametrize("other", [{"a": (1,)}, {"a": (2,), "b": (2,)}, {}, {"a": None}])
def test_one_difference_is_enough_not_to_fit(other):
    assert count_keys(compare_keys({"a": (2,)}, {"a": (2,)})).all_fit
    assert not count_keys(compare_keys({"a": (2,)}, other)).all_fit
