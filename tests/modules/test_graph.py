import random
from datetime import date

import pytest

from playground.modules.analysis import analyze
from playground.modules.graph import graph_of
from playground.modules.graph_types import CardKind, State
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.starts import STARTS
from tests.lessons.blocks.misfits import NETWORKS
from tests.modules.pairs_of_layers import INPUTS, every_pair, network_of_pair, pressed


def drawn(network):
    return graph_of(network, analyze(network.to_json()).trace)


def edges(graph):
    return {(each.source, each.target) for each in graph.edges}


def test_a_chain_has_a_card_per_layer_and_shapes_on_its_edges():
    graph = drawn(STARTS["mlp"])
    assert [(each.source, each.target, each.shape, each.before) for each in graph.edges] == [
        ("input1", "0", "2, 20", (0,)),
        ("0", "1", "2, 256", (1,)),
        ("1", "2", "2, 256", (2,)),
        ("2", "output", "2, 10", (3,)),
    ]
    texts = [card.text for card in graph.cards if card.kind is CardKind.LAYER]
    assert texts == ["20, 256", "", "256, 10"]


def test_branches_are_side_by_side_and_meet():
    graph = drawn(STARTS["inception"])
    joint = next(card for card in graph.cards if card.kind is CardKind.JOIN)

    assert joint.text == "cat, dim=1"
    assert sum(target == joint.id for _, target in edges(graph)) == 4
    assert sum(source == "1" for source, _ in edges(graph)) == 4
    assert joint.shape == "2, 40, 28, 28"


def test_a_skip_connection_goes_round_its_block():
    graph = drawn(STARTS["residual"])
    (skip,) = [edge for edge in graph.edges if edge.is_skip]

    assert (skip.source, skip.target, skip.shape) == ("0", "1+", "2, 16, 16, 16")
    assert ("1.4", "1+") in edges(graph)
    assert [frame.path for frame in graph.frames] == ["1"]


def test_a_shared_layer_is_one_card_that_is_passed_three_times():
    graph = drawn(STARTS["shared"])

    assert [card.id for card in graph.cards if card.type == "Linear"] == ["0", "5"]
    assert [(e.source, e.call, e.shape) for e in graph.edges if e.target == "0"] == [
        ("input1", 1, "2, 20"),
        ("1", 2, "2, 20"),
        ("3", 3, "2, 20"),
    ]
    assert all(edge.shape for edge in graph.edges)


def test_wires_are_edges_and_equal_inputs_are_one():
    graph = drawn(STARTS["translator"])

    assert ("encoder1", "decoder1") in edges(graph)
    assert {("input1", "embedding"), ("input2", "embedding")} <= edges(graph)
    given = {"embed_dim": 8, "num_heads": 2, "batch_first": True}
    layer = Layer("MultiheadAttention", given, inputs=["-"] * 3)
    attention = drawn(Network(Block([layer, Layer("Item")]), InputSpec((2, 5, 8))))
    assert [(edge.count, edge.shape) for edge in attention.edges][:2] == [
        (3, "2, 5, 8"),
        (1, "(2, 5, 8), (2, 5, 5)"),
    ]


def test_where_the_batch_stops_the_rest_is_unreached():
    states = [card.state for card in drawn(STARTS["broken"]).cards if card.kind is CardKind.LAYER]
    assert states == [State.OK] * 3 + [State.FAILED] + [State.UNREACHED] * 3


@pytest.mark.parametrize("name", STARTS)
def test_every_card_is_reached_and_every_edge_has_ends(name):
    graph = drawn(STARTS[name])
    ids = [card.id for card in graph.cards]

    assert len(set(ids)) == len(ids)
    assert {end for edge in edges(graph) for end in edge} == set(ids)
    assert {card.frame for card in graph.cards} <= {"", *(frame.path for frame in graph.frames)}


def test_a_block_that_is_used_again_is_a_card_of_its_own():
    block = Block([Layer("ReLU"), Layer("Tanh")], name="body")
    graph = drawn(Network(Block([block, Shared("body")]), InputSpec((2, 4))))
    (again,) = [card for card in graph.cards if card.kind is CardKind.AGAIN]
    assert (again.text, again.shape) == ("body", "2, 4")


@pytest.mark.parametrize("name", [*STARTS, *NETWORKS])
def test_every_start_and_every_misfit_ends_in_a_network_that_runs(name):
    pressed((STARTS | NETWORKS)[name])


# `python -m tests.modules.pairs_of_layers` presses those of all 77,284; here others every day.
DRAWN = random.Random(date.today().toordinal()).sample(every_pair(), 40)
KNOWN = [("FixedHiddenMLP", "Bilinear", 0), ("EmbeddingBag", "NestMLP", 3)]  # failed once


@pytest.mark.parametrize("pair", KNOWN + DRAWN, ids=range(42))
def test_every_pair_of_layers_ends_in_a_network_that_runs(pair):
    pressed(network_of_pair(pair))


def block(kind, *children):
    return Network(Block([Block(children, kind=kind)]), InputSpec((2, 3, 8, 8)))


def conv(outputs, **more):
    return Layer("Conv2d", {"in_channels": 3, "out_channels": outputs, "kernel_size": 3, **more})


EMBEDDING = Layer.of("Embedding", num_embeddings=9, embedding_dim=4)
BILINEAR = Layer.of("Bilinear", in1_features=20, in2_features=20, out_features=3)
LSTM = Layer.of("LSTM", input_size=16, hidden_size=8, batch_first=True)
LINEAR = Layer.of("Linear", in_features=8, out_features=4)


@pytest.mark.parametrize(
    ("network", "step", "shape"),
    [
        (block("residual", conv(3)), "padding", "2, 3, 8, 8"),
        (block("residual", conv(6, padding=1)), "shortcut", "2, 6, 8, 8"),
        (block("residual", conv(6, padding=1, stride=2)), "shortcut", "2, 6, 4, 4"),
        (block("concatenate", conv(3), conv(3, padding=1)), "padding", "2, 6, 8, 8"),
        (Network(Block([LSTM, LINEAR]), INPUTS[1]), "item", "2, 5, 4"),
        (Network(Block([EMBEDDING]), INPUTS[0]), "tokens", "2, 20, 4"),
        (Network(Block([BILINEAR]), INPUTS[0]), "wires", "2, 3"),
    ],
)
def test_the_cure_of_a_misfit_is_among_the_fixes_with_its_consequence(network, step, shape):
    fixes = analyze(network.to_json()).fixes
    found = [fix for fix in fixes if fix.steps[0][0] == step]
    assert found, [fix.steps for fix in fixes]
    assert found[0].shape == shape
    assert len(fixes) <= 3


def test_a_network_without_room_for_another_layer_may_lose_one():
    network = Network(Block([LINEAR, *[Layer("ReLU")] * 254]), InputSpec((2, 3, 4, 5)))
    assert {fix.steps[0][0] for fix in analyze(network.to_json()).fixes} == {"remove"}
