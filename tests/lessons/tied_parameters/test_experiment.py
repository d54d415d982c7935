"""What the experiments answer, against plain torch, closed forms and the chain rule by hand."""

import copy
import io

import numpy as np
import pytest
import torch
from torch import nn

from playground.errors import InvalidSettingError, InvalidSpecError
from playground.lessons.tied_parameters.challenges import is_half_a_tie, saves_twice_what_it_learns
from playground.lessons.tied_parameters.records import (
    CountTied,
    Given,
    Handed,
    LoadTied,
    Position,
    ShareLayer,
    Sharing,
    StepTied,
    TiedGradient,
    shared_network,
)
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.starts import STARTS
from tests.answers import answer_once as answer
from tests.turns import in_turn

LINEAR = {"in_features": 3, "out_features": 3}


# Y1


@pytest.mark.parametrize("position", Position)
@pytest.mark.parametrize("value", [100, -7, 0])
def test_what_is_written_in_one_place_stands_in_the_other(position, value):
    report = answer(ShareLayer(position=position, value=value))

    assert (report.equal_before, report.equal_after, report.is_same_layer) == (True, True, True)
    assert report.first[0][0] == report.second[0][0] == value
    assert (report.actual, report.why) == ("follows", "one-layer")
    assert (report.length, report.modules) == (7, 6)  # the shared layer is one child
    assert report.parameters == (4 * 8 + 8) + (8 * 8 + 8) + (8 + 1)


@pytest.mark.parametrize("sharing", [Sharing.DEEPCOPY, Sharing.COPIED])
@pytest.mark.parametrize("position", Position)
def test_equal_values_are_no_tie(sharing, position):
    report = answer(ShareLayer(sharing=sharing, position=position))

    torch.manual_seed(0)
    corner = nn.Linear(8, 8).weight[0, 0].item()
    assert (report.equal_before, report.equal_after, report.is_same_layer) == (True, False, False)
    assert (report.old_value, report.other_value) == (corner, corner)
    assert report.parameters == (4 * 8 + 8) + 2 * (8 * 8 + 8) + (8 + 1)
    assert report.first[1:] == report.second[1:]


# Y2


@pytest.mark.parametrize("uses", [2, 3, 4])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_parts_are_those_of_the_chain_rule_and_add_up(uses, seed):
    report = answer(TiedGradient(uses=uses, seed=seed))

    torch.manual_seed(seed)
    layers = [nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)]
    x = torch.randn(8, 3).double().numpy()
    (w1, b1), (w, b), (w3, _) = (
        (each.weight.detach().double().numpy(), each.bias.detach().double().numpy())
        for each in layers
    )
    hidden = [np.tanh(x @ w1.T + b1)]
    for _ in range(uses):
        hidden.append(np.tanh(hidden[-1] @ w.T + b))
    arriving = np.repeat(w3, 8, axis=0)  # the loss is the sum of the outputs
    parts = []
    for use in reversed(range(uses)):
        delta = arriving * (1 - hidden[use + 1] ** 2)
        parts.insert(0, delta.T @ hidden[use])
        arriving = delta @ w
    np.testing.assert_allclose(np.array(report.parts), np.array(parts), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.array(report.tied), sum(parts), rtol=1e-4, atol=1e-5)
    assert report.places == tuple(range(2, 2 + 2 * uses, 2))
    assert (report.actual, report.why) == ("sum", "gradients-add")
    assert report.losses[0] == report.losses[1]
    assert report.difference < 1e-5


@in_turn("seed", range(12))
def test_no_other_guess_is_right_by_chance(seed):
    assert answer(TiedGradient(seed=seed)).actual == "sum"


def test_two_uses_agree_with_two_untied_copies_in_plain_torch():
    report = answer(TiedGradient(seed=3))

    torch.manual_seed(3)
    first, one, last = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
    x = torch.randn(8, 3)
    two = nn.Linear(4, 4)
    two.load_state_dict(one.state_dict())
    last(torch.tanh(two(torch.tanh(one(torch.tanh(first(x))))))).sum().backward()
    torch.testing.assert_close(torch.tensor(report.parts[0]), one.weight.grad)
    torch.testing.assert_close(torch.tensor(report.parts[1]), two.weight.grad)
    torch.testing.assert_close(torch.tensor(report.tied), one.weight.grad + two.weight.grad)


# Y3: the ledger


@pytest.mark.parametrize("places", [1, 2, 3, 4])
def test_a_shared_layer_is_counted_once_and_saved_for_every_place(places):
    report = answer(CountTied(network=shared_network(places).to_json()))

    around, shared = (4 * 8 + 8) + (8 + 1), 8 * 8 + 8
    assert (report.counted, report.saved) == (around + shared, around + places * shared)
    assert (report.keys, report.objects, report.storages) == (4 + 2 * places, 6, 6)
    assert report.storage_bytes == 4 * report.counted
    assert report.actual == ("same" if places == 1 else "fewer")
    assert [len(group) for group in report.groups] == ([] if places == 1 else [places, places])
    assert saves_twice_what_it_learns(report) == (2 * (around + shared) < around + places * shared)


def test_every_row_tells_its_object_and_whether_it_is_counted():
    rows = {row.name: row for row in answer(CountTied()).rows}

    assert list(rows) == [
        f"{place}.{kind}" for place in (0, 2, 4, 6) for kind in ("weight", "bias")
    ]
    assert rows["2.weight"].object_number == rows["4.weight"].object_number
    assert rows["2.weight"].storage_number == rows["4.weight"].storage_number
    assert rows["2.weight"].object_number != rows["2.bias"].object_number
    assert (rows["2.weight"].is_counted, rows["4.weight"].is_counted) == (True, False)
    assert all(row.in_state_dict for row in rows.values())


@pytest.mark.parametrize("name", STARTS)
def test_any_network_of_the_builder_has_a_ledger(name):
    report = answer(CountTied(network=STARTS[name].to_json()))

    assert report.outcome.ok
    assert report.saved == report.counted + report.buffers
    assert report.why == ("only-buffers" if report.buffers else "all-apart")
    assert not report.groups


def test_a_block_that_is_shared_shares_all_that_is_inside_it():
    inner = Block([Layer("Linear", LINEAR), Layer("BatchNorm1d", {"num_features": 3})], name="b")
    network = Network(Block([inner, Layer("ReLU"), Shared("b", name="again")]), InputSpec((4, 3)))

    report = answer(CountTied(network=network.to_json()))

    assert (report.counted, report.buffers) == (9 + 3 + 3 + 3, 2 * (3 + 3 + 1))
    assert report.saved == 2 * report.counted + report.buffers
    assert report.why == "names-are-one-with-buffers"
    assert report.storages == 4 + 3
    assert not saves_twice_what_it_learns(report)  # the buffers do not help


def test_lazy_layers_are_fed_first():
    lazy = Network(Block([Layer.of("LazyLinear", out_features=2), Shared("0")]), InputSpec((4, 2)))

    report = answer(CountTied(network=lazy.to_json()))

    assert report.outcome.ok
    assert (report.counted, report.saved) == (6, 12)


def test_where_the_first_batch_fails_the_names_are_there_all_the_same():
    layers = [
        Layer.of("Linear", in_features=5, out_features=2),
        Layer.of("LazyLinear", out_features=2),
    ]

    report = answer(CountTied(network=Network(Block(layers), InputSpec((4, 3))).to_json()))

    assert (report.outcome.error_type, report.why) == ("RuntimeError", "no-shapes-yet")
    assert {row.name: row.shape for row in report.rows} == {
        "0.weight": (2, 5),
        "0.bias": (2,),
        "1.weight": None,
        "1.bias": None,
    }


def test_a_network_without_parameters_has_an_empty_ledger():
    report = answer(CountTied(network=Network(Block([Layer("ReLU")]), InputSpec((2,))).to_json()))

    assert (report.rows, report.why, report.actual) == ((), "no-parameters", "same")


def test_what_is_no_network_is_refused():
    with pytest.raises(InvalidSpecError):
        CountTied(network="{}")


# Y3: two keys


@pytest.mark.parametrize(
    ("given", "actual", "why"),
    [
        (Given.DIFFERENT, "second_key", "last-key-wins"),
        (Given.SWAPPED, "second_key", "order-of-the-network"),
        (Given.MISSING, "RuntimeError", "key-is-missing"),
        (Given.UNSTRICT, "the_file", "one-key-is-enough"),
        (Given.BOTH, "the_file", "both-keys-agree"),
    ],
)
def test_what_a_dict_leaves_in_a_tied_weight(given, actual, why):
    report = answer(LoadTied(given=given))

    torch.manual_seed(0)
    saved = nn.Linear(4, 4).weight[0, 0].item()
    assert (report.actual, report.why) == (actual, why)
    assert report.in_file == saved
    assert report.loaded == (2.0 if actual == "second_key" else saved)  # also before an error
    assert report.keys == ("0.weight", "0.bias", "2.weight", "2.bias")
    assert report.tensors_in_file == 2  # one weight, one bias
    assert report.is_one_object


def test_the_missing_key_is_named_although_its_tensor_is_there():
    message = answer(LoadTied(given=Given.MISSING)).outcome.message

    assert 'Missing key(s) in state_dict: "2.weight".' in message


# Y3: the optimizer


@pytest.mark.parametrize("seed", [0, 1, 9999])
@pytest.mark.parametrize(
    ("handed", "actual", "entries", "times"),
    [
        (Handed.PARAMETERS, "once", 2, 1),
        (Handed.EVERY_NAME, "twice", 4, 2),
        (Handed.TWO_GROUPS, "ValueError", None, None),
    ],
)
def test_a_step_is_done_for_every_entry(handed, actual, entries, times, seed):
    report = answer(StepTied(handed=handed, seed=seed))

    torch.manual_seed(seed)
    shared = nn.Linear(4, 4)
    shared(torch.tanh(shared(torch.randn(8, 4)))).sum().backward()
    largest = shared.weight.grad.flatten()[shared.weight.grad.abs().argmax()].item()
    assert (report.actual, report.chosen.entries) == (actual, entries)
    assert report.times == (times if times is None else pytest.approx(times, rel=1e-3))
    assert report.chosen.once == pytest.approx(-0.1 * largest, rel=1e-5)
    assert bool(report.chosen.warning) == (handed is Handed.EVERY_NAME)


def test_torch_only_warns_of_one_parameter_twice_in_a_list():
    report = answer(StepTied())

    assert report.outcome.ok
    assert "duplicate parameters" in report.printed
    refused = answer(StepTied(handed=Handed.TWO_GROUPS)).outcome.message
    assert refused == "some parameters appear in more than one parameter group"


# bounds


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        (ShareLayer, "value", 1001),
        (ShareLayer, "seed", -1),
        (TiedGradient, "uses", 1),
        (TiedGradient, "uses", 5),
        (TiedGradient, "seed", True),
        (StepTied, "seed", 10_000),
        (LoadTied, "given", "nothing"),
    ],
)
def test_what_is_out_of_range_is_refused_by_its_field(kind, field, value):
    with pytest.raises(InvalidSettingError) as refused:
        kind(**{field: value})

    assert refused.value.values["field"] == field


# what the explanations say beyond the reports


def tied_by_parameter():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    net[2].weight = net[0].weight
    return net


def read_back():
    file = io.BytesIO()
    torch.save(tied_by_parameter().state_dict(), file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def test_half_a_tie_ends_with_the_next_move():
    net = tied_by_parameter()
    net.load_state_dict(read_back(), assign=True)

    net.to(torch.float64)

    assert net[0].weight.data_ptr() != net[2].weight.data_ptr()


def test_a_dict_that_was_assigned_from_ties_networks_to_one_another():
    state, one, other = read_back(), tied_by_parameter(), tied_by_parameter()
    one.load_state_dict(state, assign=True)
    other.load_state_dict(state)

    assert one[0].weight.data_ptr() == other[0].weight.data_ptr()

    third = tied_by_parameter()
    third.load_state_dict(dict(state))

    assert third[0].weight is third[2].weight
    assert third[0].weight.data_ptr() != one[0].weight.data_ptr()


def test_adam_steps_two_parameters_over_one_storage_otherwise_than_one():
    torch.manual_seed(0)
    once = nn.Sequential(shared := nn.Linear(4, 4, bias=False), nn.Tanh(), shared)
    twice = copy.deepcopy(once)
    twice[2] = nn.Linear(4, 4, bias=False)
    twice[2].weight = nn.Parameter(twice[0].weight)
    for net in (once, twice):
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        net(torch.ones(2, 4)).sum().backward()
        optimizer.step()

    assert not torch.allclose(once[0].weight, twice[0].weight, atol=1e-3)


def test_half_a_tie_is_not_a_tie_that_was_half_before():
    from playground.lessons.tied_parameters.records import Action, TiedBy, TieReplay

    assert is_half_a_tie(answer(TieReplay(action=Action.LOAD_ASSIGN)))
    assert not is_half_a_tie(answer(TieReplay(action=Action.LOAD_ASSIGN, tied_by=TiedBy.STORAGE)))
