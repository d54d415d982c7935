"""Fixes: the first one, pressed again and again, ends in a network that runs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.modules.analysis import analyze, list_layers
from playground.modules.spec import Block, InputKind, InputSpec, Layer, Network
from playground.modules.spec.starts import STARTS
from tests.lessons.blocks.misfits import NETWORKS
from ui.builder.actions import ready_made

MAX_PRESSES = 12
KNOWN = {each.name: each for each in list_layers()}
INPUTS = (
    InputSpec((2, 20)),
    InputSpec((2, 5, 16)),
    InputSpec((2, 3, 8, 8)),
    InputSpec((2, 6), InputKind.TOKENS, 30),
)


def pressed(network):
    """Press the first fix until nothing fails; no state comes twice."""
    seen = []
    for _ in range(MAX_PRESSES):
        analysis = analyze(network.to_json())
        if analysis.trace.outcome.ok:
            return network
        assert analysis.fixes, network
        assert analysis.fixes[0].network not in seen
        seen.append(analysis.fixes[0].network)
        network = Network.from_json(analysis.fixes[0].network)
    raise AssertionError(network)


@pytest.mark.parametrize("name", [*STARTS, *NETWORKS])
def test_every_start_and_every_misfit_ends_in_a_network_that_runs(name):
    pressed((STARTS | NETWORKS)[name])


@settings(max_examples=25, derandomize=True, database=None, deadline=None)
@given(st.sampled_from(sorted(KNOWN)), st.sampled_from(sorted(KNOWN)), st.sampled_from(INPUTS))
def test_every_pair_of_layers_ends_in_a_network_that_runs(first, second, given):
    pressed(Network(Block([ready_made(KNOWN[first]), ready_made(KNOWN[second])]), given))


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
