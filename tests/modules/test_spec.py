import base64
import copy
import functools
import json
import zlib
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin

from playground.errors import InvalidSpecError
from playground.modules.build import build, draw_inputs
from playground.modules.custom import Concatenate, Residual
from playground.modules.spec import Block, BlockKind, InputKind, InputSpec, Layer, Network, Shared
from playground.modules.spec.lazy import WITHOUT, lazy_paths, postponed
from playground.modules.spec.link import MAX_CHARACTERS, from_link, to_link
from playground.modules.spec.names import TAKEN
from playground.modules.spec.network import shared_nodes
from playground.modules.spec.parts import MAX_DEPTH
from playground.modules.spec.presets import PRESETS

quickly = settings(max_examples=100, derandomize=True, database=None)
FIELDS = ("type", "arguments", "kind", "children", "name", "times", "shared", "x")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
    ),
    max_leaves=12,
)


def refused(read: Callable[..., object], *given: object, **more: object) -> InvalidSpecError:
    with pytest.raises(InvalidSpecError) as caught:
        read(*given, **more)
    return caught.value


ENCODER = Layer.of("TransformerEncoderLayer", d_model=8, nhead=2)
EVERY_PART = Network(
    Block(
        [
            Layer("Conv2d", {"in_channels": 1, "kernel_size": [3, 3], "padding": "same"}, times=2),
            Layer("TransformerEncoder", {"encoder_layer": ENCODER, "num_layers": 2}, name="two"),
            Block([Shared("two", name="again")], kind=BlockKind.RESIDUAL, name="r", times=3),
        ]
    ),
    [InputSpec([2, 3]), InputSpec((4,), InputKind.TOKENS, below=7)],
)


@pytest.mark.parametrize("network", [*PRESETS.values(), EVERY_PART])
def test_a_network_comes_back_from_json_and_from_a_link(network):
    assert Network.from_json(network.to_json()) == network
    assert from_link(to_link(network)) == network
    assert copy.deepcopy(network) == network  # as pickle does, on the way to a worker
    again = Block.from_json(network.block.to_json())
    assert (again, hash(again)) == (network.block, hash(network.block))


def test_names_that_torch_has_taken_are_those_of_the_installed_torch():
    for container in (nn.Sequential(), Residual(), Concatenate()):
        assert {name for name in dir(container) if not name.startswith("_")} == TAKEN


NAMES = ["forward", "a.b", "", "class", "_x", "1a", "01", "naïve", " a", "a\tb", "a\n", "x" * 41]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_no_child_can_have_is_refused(name):
    assert refused(Layer, "ReLU", name=name).key == "spec_name"


@pytest.mark.parametrize(
    "children",
    [
        [Layer("ReLU", name="a"), Layer("Tanh", name="a")],
        [Layer("ReLU", name="1"), Layer("Tanh")],
        [Layer("ReLU", name="a", times=2), Layer("Tanh", name="a1")],
    ],
)
def test_two_children_of_one_name_are_refused(children):
    error = refused(Block, children)
    assert (error.key, error.values["type"]) == ("spec_name_taken", "Tanh")


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (2**63, "spec_number"),
        (float("nan"), "spec_number"),
        (float("inf"), "spec_number"),
        ("x" * 65, "spec_text"),
        ("\ud800", "spec_text"),
        ("a\nb", "spec_text"),
        ({"a": 1}, "spec_value"),
        (b"a", "spec_value"),
        ([[[[[[[[[[1]]]]]]]]]], "spec_value"),
        ([1] * 65, "spec_value"),
    ],
)
def test_a_value_that_is_not_plain_or_too_large_is_refused_by_layer_and_argument(value, key):
    error = refused(Layer, "Linear", {"in_features": value})
    assert error.key == key
    assert (error.values["type"], error.values["argument"]) == ("Linear", "in_features")


def test_too_deep_and_too_many_are_refused_however_they_come_about():
    deepest = functools.reduce(lambda block, _: Block([block]), range(MAX_DEPTH - 1), Block())
    large = [Block([Layer("ReLU", times=60)], times=4)]

    assert Block.from_json(_nested(MAX_DEPTH)).depth == deepest.depth == MAX_DEPTH
    assert refused(Block, [deepest]).key == "spec_too_deep"
    assert refused(Block, [Layer("ReLU", times=64)] * 5).key == "spec_too_many_layers"
    assert refused(Block, large, times=15).key == "spec_too_many_layers"
    assert refused(Layer, "ReLU", times=True).key == "spec_times"


def _nested(depth: int) -> str:
    return '{"kind": "sequential", "children": [' * depth + "]}" * depth


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "spec_not_json"),
        ("[" * 100_000, "spec_not_json"),
        ('{"kind": "sequential", "children": [' * 5000, "spec_not_json"),
        (_nested(MAX_DEPTH + 1), "spec_too_deep"),
        (_nested(300), "spec_too_deep"),
        ('{"kind": "sequential", "kind": "residual", "children": []}', "spec_not_json"),
        ('{"type": "Dropout", "arguments": {"p": NaN}}', "spec_not_json"),
        ('{"type": "Linear", "arguments": {"in_features": 1%s}}' % ("0" * 9999), "spec_not_json"),
        (" " * 200_001, "spec_too_long"),
        ("3", "spec_not_network"),
        ('{"type": "ReLU"}', "spec_not_network"),  # a layer, and no block
        ('{"kind": "parallel", "children": []}', "spec_unknown_layer"),
        ('{"kind": "sequential", "children": [], "hooks": 1}', "spec_field"),
        ('{"kind": "sequential", "children": [], "times": 1.0}', "spec_times"),
        ('{"kind": "sequential", "children": [], "name": 3}', "spec_name"),
        ('{"kind": "sequential", "children": [{"type": "Module.__init__"}]}', "spec_unknown_layer"),
        ('{"kind": "sequential", "children": [{"shared": "a..b"}]}', "spec_unknown_shared"),
    ],
)
def test_json_that_is_no_network_is_refused(text, key):
    assert refused(Block.from_json, text).key == key


def test_a_refusal_names_the_place_in_the_file():
    wrong = {"type": "Linear", "arguments": {"in_features": {}}}
    inner = {"kind": "residual", "name": "body", "children": [{"type": "ReLU", "times": 2}, wrong]}
    error = refused(Block.from_json, json.dumps({"kind": "sequential", "children": [inner]}))

    assert (error.values["path"], error.values["layer"]) == ("body.2", "body.2 (Linear)")
    assert error.values["argument"] == "in_features"


@quickly
@given(json_values)
def test_no_json_does_anything_but_make_a_block_or_be_refused(value):
    try:
        block = Block.from_json(json.dumps(value))
    except InvalidSpecError:
        return
    assert Block.from_json(block.to_json()) == block


def test_a_refusal_survives_the_way_back_from_a_worker():
    error = refused(Block.from_json, '{"kind": "sequential", "children": [{"type": "9"}]}')
    again = copy.copy(error)  # by __reduce__, as pickle does
    assert (again.key, again.values) == (error.key, error.values)
    assert again.values["layer"] == "0 (9)"


@quickly
@given(st.text(max_size=60) | st.binary(max_size=40).map(lambda b: b.decode("latin-1")))
def test_no_text_does_anything_but_make_a_network_or_be_refused(text):
    for read in (Network.from_json, Layer.from_json, from_link):
        with pytest.raises(InvalidSpecError):
            read(text)


@quickly
@given(st.data())
def test_a_damaged_link_is_refused(data):
    link = to_link(PRESETS["small_cnn"])
    place = data.draw(st.integers(0, len(link) - 1))
    letter = data.draw(st.sampled_from("ABCxyz019-_?=é"))
    try:
        read = from_link(link[:place] + letter + link[place + 1 :])
    except InvalidSpecError:
        return
    assert read == PRESETS["small_cnn"]  # the checksum leaves nothing else


def _as_link(packed: bytes) -> str:
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def test_a_link_unpacks_no_more_than_a_network_may_have():
    bomb = _as_link(zlib.compress(b" " * 2_900_000, 9))
    assert len(bomb) <= MAX_CHARACTERS
    for link in (bomb, "A" * (MAX_CHARACTERS + 1)):
        assert refused(from_link, link).key == "spec_link"


def test_nothing_may_follow_the_network_in_a_link():
    packed = zlib.compress(PRESETS["small_cnn"].to_json().encode())
    assert from_link(_as_link(packed)) == PRESETS["small_cnn"]
    assert refused(from_link, _as_link(packed + b"more")).key == "spec_link"


@pytest.mark.parametrize(
    ("block", "key"),
    [
        (Block([Shared("0")]), "spec_unknown_shared"),
        (Block([Shared("1"), Layer("ReLU")]), "spec_unknown_shared"),
        (Block([Block([Shared("0")])]), "spec_unknown_shared"),  # itself
        (Block([Layer("ReLU"), Shared("0"), Shared("1")]), "spec_unknown_shared"),
        (Block([Layer("ReLU", times=2), Shared("0")]), "spec_shared_repeated"),
        (Block([Block([Layer("ReLU")], times=2), Shared("0.0")]), "spec_shared_repeated"),
    ],
)
def test_only_what_came_before_and_stands_once_is_used_again(block, key):
    assert refused(shared_nodes, block).key == key


@pytest.mark.parametrize("shape", [(0,), (-1, 2), (True,), (2.0,), (1,) * 7, (3000, 3000)])
def test_an_input_that_is_none_or_too_large_is_refused(shape):
    assert refused(InputSpec, shape).key == "spec_input"


def linear(inputs, outputs, **given):
    return Layer("Linear", {"in_features": inputs, "out_features": outputs}, **given)


def test_every_lazy_layer_of_torch_has_its_ready_twin():
    lazy = {name.removeprefix("Lazy") for name in nn.modules.__all__ if name.startswith("Lazy")}
    assert set(WITHOUT) == lazy


@pytest.mark.parametrize("name", PRESETS)
def test_a_network_made_lazy_becomes_the_same_network(name):
    ready, lazy = build(PRESETS[name]), build(postponed(PRESETS[name]))
    waiting = [path for path, each in lazy.named_modules() if isinstance(each, LazyModuleMixin)]
    assert tuple(waiting) == lazy_paths(postponed(PRESETS[name]))
    lazy(*draw_inputs(PRESETS[name].input))
    assert repr(lazy) == repr(ready)
    for one, other in zip(lazy.named_parameters(), ready.named_parameters(), strict=True):
        assert (one[0], one[1].shape) == (other[0], other[1].shape)


def test_all_layers_that_can_wait_do_and_what_is_shared_stays_shared():
    inner = Block([linear(4, 4, name="a")])
    layers = [linear(4, 4), Layer("ReLU"), linear(4, 4, times=2), inner, Shared("0")]
    waiting = postponed(Network(Block(layers), InputSpec((2, 4))))
    net = build(waiting)
    net(torch.ones(2, 4))

    assert lazy_paths(waiting) == ("0", "2", "3", "4.a")
    assert net[0] is net[5]
    assert type(net[0]) is nn.Linear
