"""What the lesson says about parameters, checked with networks written here in plain torch."""

import pytest
import torch
from torch import nn

from playground.compute import torch_state
from playground.errors import InvalidSettingError
from playground.lessons.parameters.records import (
    NORMED,
    RGNET,
    FeedNetwork,
    Filled,
    FreezeByName,
    Freezing,
    Given,
    Keeping,
    KeepState,
    ListParameters,
    Moment,
    NameParameters,
    OpenLayer,
    ReachParameter,
    Setting,
    SetValue,
    Way,
)
from playground.modules.build import build
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from tests.answers import answer_once as answer

LINEAR = Layer.of("Linear", in_features=4, out_features=4)
TIED = Network(Block([LINEAR, Layer("Tanh"), Shared("0")]), InputSpec((2, 4)))


def nested(seed=1, examples=2):
    """The textbook's rgnet and a batch, both drawn from one seed."""

    def block1():
        return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())

    torch.manual_seed(seed)
    block2 = nn.Sequential()
    for i in range(4):
        block2.add_module(f"block {i}", block1())
    rgnet = nn.Sequential(block2, nn.Linear(4, 1))
    return rgnet, torch.randn(examples, 4)


@pytest.fixture(autouse=True)
def untouched():
    with torch_state.restored():
        yield


def test_the_default_is_the_nested_network_of_the_textbook():
    rgnet, _ = nested()
    state = build(RGNET, 1).state_dict()

    assert list(state) == list(rgnet.state_dict())
    assert all(torch.equal(state[name], each) for name, each in rgnet.state_dict().items())


def test_a_name_and_a_place_lead_to_one_parameter():
    report = answer(ReachParameter(path="0.block 1.0.bias"))

    assert report.name == "0.block 1.0.bias"
    assert report.index_path == "rgnet[0][1][0].bias"
    assert report.shape == (8,)
    assert report.actual in report.answers


def test_every_index_path_reaches_what_its_name_says():
    rgnet, X = nested()
    rgnet(X).sum().backward()
    for name, parameter in rgnet.named_parameters():
        report = answer(ReachParameter(path=name))

        assert eval(report.index_path) is parameter
        assert report.shape == tuple(parameter.shape)
        assert report.size_bytes == parameter.numel() * 4
        assert report.gradient_before is None
        flat = [value for row in report.gradient.grid for value in row]
        assert torch.equal(torch.tensor(flat), parameter.grad.flatten())


@pytest.mark.parametrize(
    "network",
    [
        TIED,
        NORMED,
        Network(Block([Layer("NestMLP"), Layer("Tanh")]), InputSpec((2, 20))),
        Network(Block([LINEAR, Block([LINEAR], name="a b", times=3)]), InputSpec((2, 4))),
        Network(LINEAR, InputSpec((2, 4))),
        Network(
            Block([Layer.of("TransformerEncoderLayer", d_model=4, nhead=2)]), InputSpec((2, 3, 4))
        ),
    ],
    ids=["tied", "normed", "custom", "copies", "single", "transformer"],
)
def test_index_paths_of_other_networks(network):
    net = build(network)
    names = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    listed = answer(ListParameters(network=network.to_json())).branches

    assert sorted(leaf.name for each in listed for leaf in each.leaves) == sorted(names)
    for name in names:
        report = answer(ReachParameter(network=network.to_json(), path=name))
        assert eval(report.index_path, {"net": net}) is net.get_parameter(name)


def test_a_tied_parameter_knows_its_other_names():
    report = answer(ReachParameter(network=TIED.to_json(), path="2.weight"))

    assert report.tied == ("0.weight",)


def test_a_lazy_layer_that_never_got_an_input_has_no_shape():
    lazy = Layer.of("LazyLinear", out_features=2)
    network = Network(
        Block([Layer.of("Linear", in_features=3, out_features=2), lazy]), InputSpec((2, 4))
    )
    report = answer(ReachParameter(network=network.to_json(), path="1.weight"))

    assert (report.shape, report.values, report.why) == (None, None, "not-there-yet")
    assert not report.outcome.ok


@pytest.mark.parametrize("settings", [ReachParameter, OpenLayer, SetValue])
def test_a_name_that_is_not_there_is_refused(settings):
    with pytest.raises(InvalidSettingError) as caught:
        answer(settings(path="0.block 9.0.bias"))

    assert (caught.value.key, caught.value.field) == ("no_such_name", "path")


@pytest.mark.parametrize(
    ("moment", "filled"),
    [
        (Moment.BEFORE, Filled.NONE),
        (Moment.BACKWARD, Filled.NUMBERS),
        (Moment.TWICE, Filled.NUMBERS),
        (Moment.ZEROED, Filled.NONE),
    ],
)
def test_a_gradient_is_there_after_backward_and_adds_up(moment, filled):
    report = answer(OpenLayer(moment=moment))

    assert report.filled is filled
    assert report.type_name == "torch.nn.parameter.Parameter"
    assert report.requires_grad is True
    if filled is Filled.NUMBERS:  # Y.sum() over two examples has the slope 2 along the last bias
        assert report.gradient.grid == ((4.0 if moment is Moment.TWICE else 2.0,),)


def test_named_parameters_counts_tensors():
    whole, part = answer(NameParameters()), answer(NameParameters(part="net[2]"))

    shapes = {"0.weight": (8, 4), "0.bias": (8,), "2.weight": (1, 8), "2.bias": (1,)}
    assert dict(whole.listed) == shapes
    assert (whole.entries, whole.numbers, whole.modules, whole.layers) == (4, 49, 4, 2)
    assert dict(part.listed) == {"weight": (1, 8), "bias": (1,)}
    assert whole.actual in whole.answers
    assert part.actual in part.answers


def test_a_tied_parameter_is_listed_once():
    report = answer(NameParameters(network=TIED.to_json()))

    assert [name for name, _ in report.listed] == ["0.weight", "0.bias"]


@pytest.mark.parametrize("keeping", Keeping)
def test_only_a_persistent_buffer_is_kept(keeping):
    report = answer(KeepState(keeping=keeping))
    kinds = {each.name: (each.is_parameter, each.is_saved) for each in report.tensors}

    assert report.actual is (keeping is Keeping.SAVED)
    assert kinds["1.running_mean"] == (False, True)
    assert kinds["0.weight"] == (True, True)
    assert kinds["note"] == (False, keeping is Keeping.SAVED)
    note = next(each for each in report.tensors if each.name == "note")
    assert note.is_registered is (keeping is not Keeping.ATTRIBUTE)
    assert report.is_live is True
    assert report.wants_gradient is False


def test_a_name_that_is_taken_is_refused_in_torchs_words():
    network = Network(Block([Layer("ReLU", name="note")]), InputSpec((2, 4)))
    report = answer(KeepState(network=network.to_json(), keeping=Keeping.SAVED))

    assert report.outcome.error_type == "KeyError"
    assert report.why == "not-taken"


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_nested_network_gives_nearly_one_output(seed):
    report = answer(FeedNetwork(seed=seed))
    rgnet, X = nested(seed, examples=10)
    Y = rgnet(X)

    assert report.actual == "nearly_equal"
    assert report.stops[0].spread == pytest.approx(X.std(dim=0).mean().item(), rel=1e-4)
    assert report.stops[-1].spread == pytest.approx(Y.std().item(), rel=1e-3)
    assert report.outputs == pytest.approx(Y.flatten().tolist())


def test_every_layer_is_a_stop():
    report = answer(FeedNetwork())
    rgnet, _ = nested()

    layers = [name for name, each in rgnet.named_modules() if not list(each.children())]
    assert [stop.path for stop in report.stops] == ["", *layers]


def test_a_network_whose_end_is_no_layer_has_a_last_stop_of_its_own():
    block = Block([LINEAR], kind="residual")
    report = answer(FeedNetwork(network=Network(block, InputSpec((2, 4))).to_json()))

    assert [stop.path for stop in report.stops] == ["", "0", "Y"]
    assert report.actual in {"closer", "as_far"}


@pytest.mark.parametrize("given", Given)
@pytest.mark.parametrize("freezing", Freezing)
def test_frozen_parameters_move_only_where_they_have_a_gradient_and_are_given(freezing, given):
    report = answer(FreezeByName(pattern="0.block 0.*", freezing=freezing, given=given))

    assert (report.numbers, report.frozen, report.size_bytes) == (309, 76, 309 * 4)
    assert report.moves_frozen is (freezing is Freezing.AFTER and given is Given.ALL)
    trainable = [row for row in report.rows if row.is_trainable]
    assert all(row.has_changed and row.is_given for row in trainable)
    frozen = [row for row in report.rows if not row.is_trainable]
    assert {row.name.rpartition(".")[0] for row in frozen} == {"0.block 0.0", "0.block 0.2"}
    assert {row.gradient for row in frozen} == {
        Filled.NUMBERS if freezing is Freezing.AFTER else Filled.NONE
    }


@pytest.mark.parametrize(
    ("freezing", "given", "error"),
    [
        (Freezing.BEFORE, Given.ALL, "RuntimeError"),
        (Freezing.AFTER, Given.TRAINABLE, "ValueError"),
    ],
)
def test_with_nothing_left_to_learn_torch_refuses(freezing, given, error):
    report = answer(FreezeByName(pattern="*", freezing=freezing, given=given))

    assert report.outcome.error_type == error
    assert report.trainable == 0


@pytest.mark.parametrize("pattern", ["", "block 0", "9.*", "0.BLOCK*", "[", "\x07"])
def test_a_pattern_that_matches_nothing_is_refused(pattern):
    with pytest.raises(InvalidSettingError) as caught:
        answer(FreezeByName(pattern=pattern))

    assert (caught.value.key, caught.value.field) == ("no_match", "pattern")


@pytest.mark.parametrize("way", [Way.ITEM, Way.ADD])
@pytest.mark.parametrize("setting", Setting)
def test_a_leaf_is_guarded(way, setting):
    report = answer(SetValue(way=way, setting=setting))

    assert report.outcome.error_type == "RuntimeError"
    assert "leaf Variable that requires grad is being used in an in-place" in report.outcome.message
    assert report.before == report.after
    assert report.is_fixed


@pytest.mark.parametrize("way", [Way.DATA_ADD, Way.DATA_ITEM, Way.NO_GRAD])
def test_values_are_set(way):
    report = answer(SetValue(way=way))
    rgnet, _ = nested()
    expected = rgnet[0][1][0].weight.detach().clone()
    if way is Way.DATA_ADD:
        expected += 1
    else:
        expected[0, 0] = 42

    assert torch.equal(torch.tensor(report.after.grid), expected)
    assert report.wrong == ()
    assert report.outcome.ok


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("0.block 1.0.weight", 4),  # the gradients of block 0 go through it
        ("0.block 0.0.weight", 0),  # nothing before it needs a gradient
        ("0.block 1.0.bias", 0),  # a sum needs no old values on the way back
    ],
)
def test_data_between_forward_and_backward_makes_gradients_wrong(path, wrong):
    report = answer(
        SetValue(
            path=path,
            rank=1 if path.endswith("bias") else 2,
            way=Way.DATA_ITEM,
            setting=Setting.BETWEEN,
        )
    )
    rgnet, X = nested()
    rgnet(X).sum().backward()
    right = {name: p.grad.clone() for name, p in rgnet.named_parameters()}
    rgnet.zero_grad()
    Y = rgnet(X)
    rgnet.get_parameter(path).data[(0,) * (1 if path.endswith("bias") else 2)] = 42
    Y.sum().backward()
    differing = [n for n, p in rgnet.named_parameters() if not torch.equal(p.grad, right[n])]

    assert list(report.wrong) == differing
    assert len(report.wrong) == wrong
    assert report.is_silently_wrong is (wrong > 0)


def test_no_grad_lets_torch_notice_the_same_mistake():
    report = answer(SetValue(way=Way.NO_GRAD, setting=Setting.BETWEEN))

    assert report.is_set
    assert report.why == "version-differs"
