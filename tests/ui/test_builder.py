import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

from playground.catalog import Language
from playground.modules.layer_types import Argument, ArgumentKind
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared, edit
from playground.modules.spec.link import from_link
from playground.modules.spec.nodes import type_of
from playground.modules.spec.starts import STARTS
from playground.steps import load_step
from ui.builder import actions, program_reader, view
from ui.builder.argument_values import parse_value, value_text
from ui.builder.history import EditHistory
from ui.builder.state import BuilderState
from ui.language import table
from ui.panel.controls import network_field

pytestmark = pytest.mark.usefixtures("inline")

MLP = STARTS["mlp"]
LENET = [type_of(child) for child in STARTS["lenet"].block.children]
BLOCKS = ("sequential", "residual", "add", "multiply", "concatenate")


def opened(network=MLP):
    return BuilderState(EditHistory([network.to_json()]))


def after(network, *events):
    state = opened(network)
    for event in events:
        actions.handle(state, event)
    assert state.notice is None
    return state


def types(state):
    return [type_of(child) for child in state.root.children]


def insert(layer, **more):
    return {"type": "insert", "layer": layer, **more}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (insert("Dropout", at=[1]), ["Linear", "Dropout", "ReLU", "Linear"]),
        (insert("Softmax"), ["Linear", "ReLU", "Linear", "Softmax"]),
        (insert("Tanh, dropout(0.2)", at=[0]), ["Tanh", "Dropout", "Linear", "ReLU", "Linear"]),
        ({"type": "insert", "kind": "add", "at": [3]}, ["Linear", "ReLU", "Linear", "add"]),
        ({"type": "remove", "addresses": [[0], [2]]}, ["ReLU"]),
        ({"type": "duplicate", "address": [1]}, ["Linear", "ReLU", "ReLU", "Linear"]),
        ({"type": "move", "address": [1], "to": [0]}, ["ReLU", "Linear", "Linear"]),
        ({"type": "step", "address": [1], "down": True}, ["Linear", "Linear", "ReLU"]),
        ({"type": "group", "addresses": [[0], [1]]}, ["sequential", "Linear"]),
        ({"type": "group", "addresses": [[1]], "kind": "add"}, ["Linear", "add", "Linear"]),
        ({"type": "share", "address": [1]}, ["Linear", "ReLU", "Shared", "Linear"]),
        ({"type": "start", "name": "empty"}, []),
        ({"type": "load", "text": STARTS["lenet"].to_json()}, LENET),
        ({"type": "paste", "nodes": '[{"type": "GELU"}]'}, ["Linear", "ReLU", "Linear", "GELU"]),
    ],
)
def test_an_event_changes_the_network(event, expected):
    state = after(MLP, event)
    assert types(state) == expected

    actions.handle(state, {"type": "undo"})
    assert state.network == MLP
    actions.handle(state, {"type": "redo"})
    assert types(state) == expected


@pytest.mark.parametrize("start", ["lenet", "broken", "resnet"])
def test_what_is_to_be_found_out_is_not_in_the_data(start):
    state = opened(STARTS[start])
    shown = view.builder_data(state, state.analyze())
    state.is_held_back = True
    held_back = view.builder_data(state, state.analyze())

    (shape,) = {card[5] for card in held_back["graph"]["cards"]} - {""}
    assert shape == ", ".join(map(str, STARTS[start].input[0].shape))
    assert {card[7] for card in held_back["graph"]["cards"]} == {"o"}
    assert not any(sum(card[10:12]) for card in held_back["graph"]["cards"])
    assert [card[0] for card in held_back["graph"]["cards"]] == [
        card[0] for card in shown["graph"]["cards"]
    ]
    assert held_back["answer"]["text"] == ""
    assert not held_back["fixes"]
    assert held_back["lines"] == shown["lines"]


def test_lenet_is_typed_in_one_line_and_its_sizes_follow():
    line = (
        "Conv2d(6, 5, padding=2), Sigmoid, AvgPool2d(2), nn.Conv2d(16, 5), Sigmoid, AvgPool2d(2),"
        "Flatten, Linear(120), Sigmoid, Linear(84), Sigmoid, Linear(10)"
    )
    assert after(STARTS["empty"], insert(line)).network.block == STARTS["lenet"].block


def test_a_layer_on_a_skip_connection_becomes_its_shortcut():
    event = insert("Conv2d(16, 1)", at=[1], skip=True)
    block = edit.node_at(after(STARTS["residual"], event).root, (1,))
    assert block.kind == "add"
    assert [child.name for child in block.children] == ["body", "shortcut"]


def test_attention_is_put_in_with_its_three_inputs_and_bilinear_takes_both_of_the_network():
    sequence = Network(Block([]), InputSpec((2, 5, 16)))
    for said in ("MultiheadAttention", "MultiheadAttention(16, 4)"):
        (attention,) = after(sequence, insert(said)).root.children
        assert [str(wire) for wire in attention.inputs] == ["-", "-", "-"]

    pair = Network(Block([]), (InputSpec((2, 3)), InputSpec((2, 4))))
    state = after(pair, insert("Bilinear"))
    assert [str(wire) for wire in state.root.children[0].inputs] == ["#1", "#2"]
    assert state.analyze().trace.outcome.ok


def test_arguments_names_copies_and_wires_are_set():
    state = after(
        MLP,
        {"type": "set", "address": [2], "argument": "out_features", "value": "7"},
        {"type": "set", "address": [2], "argument": "bias", "value": "False"},
        {"type": "rename", "address": [0], "name": "hidden"},
        {"type": "repeat", "address": [1], "times": 3},
        {"type": "inputs", "address": [2], "wires": "hidden"},
        {"type": "input", "number": 1, "shape": "4×20", "kind": "float"},
    )

    hidden, relu, out = state.root.children
    assert out.keywords == {"in_features": 256, "out_features": 7, "bias": False}
    assert (hidden.name, relu.times, str(out.inputs[0])) == ("hidden", 3, "hidden")
    assert state.network.input[0].shape == (4, 20)


@pytest.mark.parametrize(
    "event",
    [
        insert("no such layer"),
        insert("__import__('os').system('true')"),
        insert("Linear(10**12, 10**12)"),
        insert("Linear(lambda: 0)"),
        insert("ReLU, " * 70),
        insert("ReLU(" * 3000),
        {"type": "input", "number": 1, "shape": "2, -3"},
        {"type": "input", "number": 1, "shape": "9999999, 9999999"},
        {"type": "load", "text": "{"},
        {"type": "load", "text": '{"network": {"type": "Linear"}, "input": []}'},
        {"type": "paste", "nodes": '{"type": "ReLU"}'},
        {"type": "set", "address": [0], "argument": "out_features", "value": "many"},
        {"type": "rename", "address": [0], "name": "a.b"},
        {"type": "repeat", "address": [0], "times": 10_000},
        {"type": "inputs", "address": [0], "wires": "2"},
    ],
)
def test_what_is_no_network_is_refused_in_a_sentence_and_nothing_is_lost(event):
    state = opened()
    actions.handle(state, event)
    assert state.network == MLP
    assert view.notice_text(state.notice)


def test_a_program_that_is_refused_is_quoted_with_its_line():
    state = opened()
    program_reader.read(state, "import torch\neval(text)")
    assert state.network == MLP
    assert state.notice.error.key == "spec_program_refused"
    assert state.notice.error.values["line"] == 2


@pytest.mark.parametrize(
    "event",
    [
        {"type": "nothing"},
        {"type": "remove", "addresses": [[9]]},
        {"type": "remove", "addresses": []},
        {"type": "move", "address": [0], "to": ["x"]},
        {"type": "select", "address": "root"},
        {"type": "fix", "number": 4},
        {"type": "duplicate"},
        {"type": "set", "address": [1], "argument": "nothing", "value": "1"},
    ],
)
def test_an_event_for_another_network_is_left_alone(event):
    state = opened()
    actions.handle(state, event)
    assert state.network == MLP


def data_of(network, selected=(0,)):
    """Return the data of the script where a node is selected."""
    state = opened(network)
    state.selected = selected
    return view.builder_data(state, state.analyze())


@pytest.mark.parametrize("name", STARTS)
def test_the_data_of_a_start_is_plain_small_and_holds_its_link(name):
    data = data_of(STARTS[name])
    assert from_link(data["link"]) == STARTS[name]
    assert len(json.dumps(data)) < 16_000
    assert data["answer"]["text"]


def test_every_group_start_and_fix_has_words_and_no_layer_that_cannot_be_wired_is_offered():
    starts = {name for name in table() if name.startswith("builder.start-")}
    assert starts == {f"builder.start-{name}" for name in STARTS}
    state = opened()
    library = view.library(state.layers())
    assert {group for _, group, _ in library["layers"]} <= {name for name, _ in library["groups"]}
    names = state.layers().keys()
    assert {"MultiheadAttention", "Bilinear", "Transformer", "Item"} <= names
    assert not names & {"ModuleList", "ParameterDict"}
    for language in Language:
        assert {f"kind-{kind}" for kind in BLOCKS} <= view.words(language).keys()


def test_the_network_is_taken_to_steps_that_take_one():
    for lesson, step in view.TAKERS.items():
        assert network_field(load_step(lesson, step))


def test_a_training_goes_on_keeps_what_it_needs_and_forgets_it_in_the_end():
    state = opened()
    state.train(is_new=True)
    state.train(is_new=False)
    assert len(state.training.losses) == 50
    assert state.flow is state.training.flow

    actions.handle(state, {"type": "stop"})
    assert (len(state.training.losses), state.training.state) == (50, b"")
    assert view.builder_data(state, state.analyze())["training"]["over"]


def test_only_layers_have_parameters_of_their_own():
    cards = data_of(STARTS["residual"])["graph"]["cards"]
    assert {card[1] for card in cards if any(card[10:12])} == {"layer"}


@pytest.mark.parametrize("given", [True, False])
def test_the_form_says_where_the_first_dimension_is_the_sequence(given):
    layer = Layer.of("LSTM", input_size=16, hidden_size=8, batch_first=given)
    data = data_of(Network(Block([layer]), InputSpec((2, 5, 16))))
    assert data["form"]["time_first"] is not given


@pytest.mark.parametrize(
    ("kind", "more", "given", "expected"),
    [
        (ArgumentKind.INTEGER, {}, "3", 3),
        (ArgumentKind.NUMBER, {}, "0.5", 0.5),
        (ArgumentKind.SWITCH, {}, "True", True),
        (ArgumentKind.INTEGERS, {}, "3, 5", (3, 5)),
        (ArgumentKind.INTEGERS, {"choices": ("same",)}, "same", "same"),
        (ArgumentKind.INTEGER, {"allows_none": True}, "", None),
    ],
)
def test_what_is_typed_becomes_an_argument_and_is_shown_again(kind, more, given, expected):
    value = parse_value(given, Argument(name="x", kind=kind, **more))
    assert value == expected
    assert value_text(value) == given


def test_history_is_bounded():
    history = EditHistory(["0"])
    for number in range(1, 300):
        history.push(str(number))
    history.push("299")

    assert (len(history.texts), history.text) == (100, "299")
    history.go(-500)
    assert (history.text, history.can_undo) == ("200", False)


def test_a_shared_layer_is_changed_where_it_is_held():
    assert isinstance(edit.node_at(STARTS["shared"].block, (2,)), Shared)
    assert data_of(STARTS["shared"], (2,))["form"]["of"] == "0"


ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "ui" / "builder" / "assets"


def test_the_layout_was_bundled_from_the_sources_as_they_are():
    sources = ROOT / "tools" / "builder"
    parts = ("dagre.js", "package.json", "package-lock.json")
    digest = hashlib.sha256(b"".join((sources / part).read_bytes() for part in parts))
    bundle = (ASSETS / "dagre.js").read_text("utf-8")
    assert digest.hexdigest() in bundle.partition("\n")[0], "run tools/bundle.sh builder"


def test_the_script_is_small_and_makes_no_code_at_run_time():
    files = [each.read_bytes() for each in ASSETS.glob("*.js")]
    text = b"\n".join(files).decode()
    assert sum(len(gzip.compress(each)) for each in files) < 60_000
    assert re.findall(r"\beval\s*\(|new Function|importScripts|\bfetch\(|innerHTML", text) == []
    assert set(re.findall(r"https?://[^\"'` )]+", text)) <= {"http://www.w3.org/2000/svg"}
