import json
from pathlib import Path

import pytest
import torch
from torch import nn

from playground.errors import InvalidSpecError
from playground.modules.build import build, draw_inputs
from playground.modules.source import as_class, as_sequential
from playground.modules.source.program import class_lines
from playground.modules.spec import Block, BlockKind, InputSpec, Layer, Network, Shared, Wire, edit
from playground.modules.spec.link import from_link, to_link
from playground.modules.spec.nodes import type_of
from playground.modules.spec.starts import STARTS

L = Layer.of


def conv(inputs: int, outputs: int, size: int = 3, **more) -> Layer:
    padding = {"padding": size // 2} if size > 1 else {}
    given = {"in_channels": inputs, "out_channels": outputs, "kernel_size": size}
    return Layer("Conv2d", given | padding, **more)


BODY = Block([conv(3, 6), Layer("ReLU"), conv(6, 6)], name="body")
SHORTCUT = Block([BODY, conv(3, 6, 1, name="shortcut")], kind=BlockKind.ADD)
UNET = Network(
    Block(
        [
            conv(1, 4, name="down"),
            Layer("MaxPool2d", {"kernel_size": 2}),
            conv(4, 8, name="middle"),
            Layer("Upsample", {"scale_factor": 2.0}),
            Block([], kind=BlockKind.CONCATENATE, inputs=("down", "-")),
            conv(12, 2, 1, name="out"),
        ]
    ),
    InputSpec((2, 1, 8, 8)),
)
LINEAR = L("Linear", in_features=4, out_features=4)
ATTENTION = {"embed_dim": 8, "num_heads": 2, "batch_first": True}
SELF_ATTENTION = Layer("MultiheadAttention", ATTENTION, name="attention", inputs=("-", "-", "-"))
BILINEAR = {"in1_features": 3, "in2_features": 4, "out_features": 2}
GATE = Block(
    [L("Tanh"), Shared("0", name="again"), Block([], kind="multiply", inputs=("0", "#1"))],
    name="gate",
)
SUM, PRODUCT = (Block([], kind=kind, inputs=("-", "#1")) for kind in ("add", "multiply"))
OUTPUTS = Block([], kind="tuple", inputs=("-[0]", "0[1][0]", "#1"))
STATE = [L("Item", index=(1, 0)), L("Permute", dims=(1, 2, 0)), L("Reshape", shape=(-1, 3))]


def network(children, *shapes: tuple[int, ...], **more) -> Network:
    return Network(Block(children, **more), [InputSpec(shape) for shape in shapes])


NETWORKS = {
    "shortcut": network([SHORTCUT, Layer("ReLU")], (2, 3, 8, 8)),
    "gate": network([LINEAR, L("Sigmoid")], (2, 4), kind="multiply"),
    "dim": network([L("Identity"), LINEAR], (2, 5, 4), kind="concatenate", dim=2),
    "lstm": network([L("LSTM", input_size=4, hidden_size=3), *STATE], (5, 2, 4)),
    "attention": network([SELF_ATTENTION, L("Item"), L("ReLU")], (2, 5, 8)),
    "bilinear": network([Layer("Bilinear", BILINEAR, inputs=("#1", "#2"))], (2, 3), (2, 4)),
    "nested": network([LINEAR, GATE, Block([L("ReLU"), SUM], times=2)], (2, 4)),
    "residual": network([LINEAR, PRODUCT], (2, 4), kind="residual"),
    "heads": network([LINEAR, L("ReLU")], (2, 4), kind="tuple"),
    "outputs": network([L("LSTM", input_size=4, hidden_size=3), OUTPUTS], (5, 2, 4)),
    "unet": UNET,
    "translator": STARTS["translator"],
}


@pytest.mark.parametrize("write", [as_sequential, as_class])
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_programs_compute_what_the_built_module_does_and_json_and_link_keep_wires(network, write):
    program = write(network, seed=3, run=True)
    exec(program, namespace := {"__name__": "__main__"})
    expected = build(network, 3)(*draw_inputs(network.input))

    torch.testing.assert_close(namespace["Y"], expected, rtol=0, atol=0)
    assert max(map(len, program.splitlines())) <= 60
    assert Network.from_json(network.to_json()) == from_link(to_link(network)) == network


def test_a_unet_computes_what_plain_torch_does():
    net = build(UNET, 0)
    (X,) = draw_inputs(UNET.input)
    down = net.down(X)
    up = nn.functional.interpolate(net.middle(nn.functional.max_pool2d(down, 2)), scale_factor=2)

    torch.testing.assert_close(net(X), net.out(torch.cat([down, up], dim=1)))


def test_encoder_and_decoder_meet_as_in_plain_torch():
    net = build(STARTS["translator"], 0).eval()
    source, target = draw_inputs(STARTS["translator"].input)
    memory = net.encoder1(net.encoder0(net.embedding(source)))
    Y = net.decoder1(net.decoder0(net.embedding(target), memory), memory)

    torch.testing.assert_close(net(source, target), net.head(Y))


def test_a_teacher_would_write_the_unet_so():
    forward = as_class(UNET).partition("def forward")[2].partition("\n\n")[0]

    assert forward.splitlines() == [
        "(self, X):",
        "        down = self.down(X)",
        "        X = self.max_pool(down)",
        "        X = self.middle(X)",
        "        X = self.upsample(X)",
        "        X = torch.cat([down, X], dim=1)",
        "        return self.out(X)",
    ]


def test_each_line_knows_its_node():
    lines = class_lines(UNET)
    about = {line.path for line in lines if line.path}
    assert about == {"down", "1", "middle", "3", "4", "out"}
    assert [line.strip() for line in lines if line.path == "1"] == [
        "self.max_pool = nn.MaxPool2d(2)",
        "X = self.max_pool(down)",
    ]


@pytest.mark.parametrize(
    "wires",
    [
        *(["later"], ["#5"], ["0]["], ["-"] * 5, "-", [7], ["0[x]"], ["0[1][2][3][4]"]),
        *([""], ["a" * 61]),
    ],
)
def test_a_wire_that_leads_nowhere_is_refused(wires):
    tanh = {"type": "Tanh", "inputs": wires}
    block = {"kind": "sequential", "children": [{"type": "ReLU"}, tanh]}
    text = json.dumps({"network": block, "input": [{"shape": [2, 4]}]})
    with pytest.raises(InvalidSpecError):
        Network.from_json(text)


def test_a_wire_to_an_input_that_the_block_does_not_have_is_refused():
    inner = Block([Layer("ReLU", inputs=("#2",))])
    with pytest.raises(InvalidSpecError, match="spec_unknown_wire"):
        Network(Block([inner]), InputSpec((2, 4)))


# Written by version 1.0.0. The last has a layer and an argument that have other names today.
OLD_LINKS = json.loads((Path(__file__).parent / "old_links.json").read_text())


@pytest.mark.parametrize(
    ("link", "types"),
    [
        ("branches", ["Conv2d", "concatenate", "ReLU", "AdaptiveAvgPool2d", "Flatten", "Linear"]),
        ("shared", ["Linear", "ReLU", "Shared", "ReLU", "Shared", "Linear"]),
        ("custom", ["LSTM", "Item", "FixedHiddenMLP"]),
    ],
)
def test_links_of_older_versions_open(link, types):
    network = from_link(OLD_LINKS[link])
    assert [type_of(child) for child in network.block.children] == types
    build(network)(*draw_inputs(network.input))


# -- edits ---------------------------------------------------------------------------------------


def wires_at(root: Block, address: edit.Address) -> list[str]:
    return [str(wire) for wire in edit.node_at(root, address).inputs]


def test_wires_follow_their_node_when_numbers_change():
    root = edit.insert(UNET.block, (0,), Layer("ReLU"))
    assert wires_at(root, (5,)) == ["down", "-"]

    root = edit.rename(root, (1,), None)
    assert wires_at(root, (5,)) == ["1", "-"]
    root = edit.insert(root, (0,), Layer("ReLU"))
    assert wires_at(root, (6,)) == ["2", "-"]


def test_a_wire_to_what_is_removed_or_moved_behind_takes_what_comes_before():
    assert wires_at(edit.remove(UNET.block, (0,)), (3,)) == ["-", "-"]
    assert wires_at(edit.move(UNET.block, (0,), (5,)), (3,)) == ["-", "-"]


def test_nodes_in_a_row_become_a_block_and_back():
    root = edit.group(UNET.block, (1,), 4, BlockKind.SEQUENTIAL)

    assert wires_at(root, (1,)) == ["-", "down"]
    assert wires_at(root, (1, 3)) == ["#2", "-"]
    assert edit.unwrap(root, (1,)) == UNET.block
    X = draw_inputs(UNET.input)
    assert torch.equal(build(Network(root, UNET.input), 1)(*X), build(UNET, 1)(*X))


def test_a_wrapped_node_keeps_what_it_is_given_and_who_reads_it():
    network = NETWORKS["attention"]
    root = edit.wrap(network.block, (0,), BlockKind.SEQUENTIAL)

    assert wires_at(root, (0,)) == ["-", "-", "-"]
    assert wires_at(root, (0, 0)) == ["#1", "#2", "#3"]
    assert edit.unwrap(root, (0,)).children[0].inputs == network.block.children[0].inputs
    root = edit.wrap(UNET.block, (0,))
    assert edit.node_at(root, (4,)).inputs[0] == Wire("down")


def test_wires_are_set_by_name_and_refused_where_they_lead_on():
    root = edit.set_inputs(UNET.block, (2,), ["down[0]"])
    assert wires_at(root, (2,)) == ["down[0]"]
    with pytest.raises(InvalidSpecError):
        edit.set_inputs(UNET.block, (2,), ["out"])


def test_a_copy_of_a_block_reads_its_own_nodes():
    root = edit.duplicate(edit.group(UNET.block, (0,), 6, BlockKind.SEQUENTIAL), (0,))
    assert wires_at(root, (1, 4)) == ["down", "-"]
    assert root.children[0].children == root.children[1].children
