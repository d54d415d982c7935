"""The builder's step: report, picture and programs, held against plain PyTorch."""

import pytest
import torch
from torch import nn

from playground.catalog import Language
from playground.compute import torch_state
from playground.errors import InvalidSpecError
from playground.lessons.blocks import experiment, figures, source
from playground.lessons.blocks.records import STARTS, BuildNetwork, ListLayers
from playground.machines import Machine
from playground.modules.spec import Block, BlockKind, InputSpec, Layer, Network
from playground.palette import DARK, LIGHT
from tests.programs import run_program
from tests.turns import in_turn
from ui.step import labels

WORDS = labels("blocks", Language.EN)


def build(network: Network) -> object:
    with torch_state.restored():
        return experiment.build_network(BuildNetwork(network=network.to_json()))


@pytest.fixture(scope="module")
def reports() -> dict[str, object]:
    return {name: build(network) for name, network in STARTS.items()}


def linear(inputs: int, outputs: int) -> Layer:
    return Layer.of("Linear", in_features=inputs, out_features=outputs)


@pytest.mark.parametrize("start", sorted(set(STARTS) - {"broken"}))
def test_every_start_but_the_broken_one_works(start: str, reports: dict[str, object]) -> None:
    assert reports[start].outcome.ok
    assert reports[start].why == "every-shape-fits"


@in_turn("start", sorted(set(STARTS) - {"broken"}))
@pytest.mark.parametrize("write", [source.build_network, source.build_network_as_class])
def test_both_programs_give_what_the_report_says(
    start: str, write: object, reports: dict[str, object]
) -> None:
    program = write(BuildNetwork(network=STARTS[start].to_json()))

    result, outcome = run_program(program, Machine())

    assert outcome.ok
    assert result == reports[start].output_shape


def test_a_program_of_a_network_that_does_not_fit_raises_what_the_report_says(
    reports: dict[str, object],
) -> None:
    program = source.build_network(BuildNetwork(network=STARTS["broken"].to_json()))

    _, outcome = run_program(program, Machine())

    assert outcome == reports["broken"].outcome


def test_the_mlp_is_that_of_plain_torch(reports: dict[str, object]) -> None:
    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))

    report = reports["mlp"]

    assert report.trace.total_parameters == sum(each.numel() for each in net.parameters())
    assert report.output_shape == tuple(net(torch.ones(2, 20)).shape)
    assert report.largest == "0 Linear"
    assert report.candidates == ("0 Linear", "2 Linear")


def test_the_flattened_layer_is_the_heavy_one(reports: dict[str, object]) -> None:
    assert reports["small_cnn"].largest == "7 Linear"


def test_a_failing_network_says_where_and_what_would_fit(reports: dict[str, object]) -> None:
    report = reports["broken"]

    assert report.failed.path == "3"
    assert report.why == "channels-differ"
    assert report.mentions["value"] == "8"
    assert report.mentions["shape"] == "(2, 8, 16, 16)"
    assert [link.is_failing for link in report.links] == [False, False, False, True]


@pytest.mark.parametrize(
    ("layers", "why"),
    [
        ([linear(20, 8), linear(9, 2)], "features-differ"),
        (
            [Layer("Unflatten", {"dim": 1, "unflattened_size": [4, 5]}), linear(20, 2)],
            "needs-flatten",
        ),
        ([Layer.of("BatchNorm1d", num_features=4)], "argument-differs"),
        ([Layer("Unflatten", {"dim": 1, "unflattened_size": [3, 3]})], "stops-here"),
        ([Block([linear(20, 10)], kind=BlockKind.RESIDUAL)], "residual-differs"),
        (
            [
                Block(
                    [linear(20, 10), Layer("Unflatten", {"dim": 1, "unflattened_size": [4, 5]})],
                    kind=BlockKind.CONCATENATE,
                )
            ],
            "concatenate-differs",
        ),
    ],
)
def test_each_reason_is_found(layers: list[Layer], why: str) -> None:
    report = build(Network(Block(layers), InputSpec((2, 20))))

    assert not report.outcome.ok
    assert report.why == why


def test_shapes_that_cannot_be_put_together_are_both_named() -> None:
    broken = Block([linear(20, 10)], kind=BlockKind.RESIDUAL)

    mentions = build(Network(Block([broken]), InputSpec((2, 20)))).mentions

    assert mentions["layer"] == "0 Residual"
    assert (mentions["shape"], mentions["last"]) == ("(2, 20)", "(2, 10)")


@pytest.mark.parametrize(
    ("network", "why"),
    [
        (Network(Block([]), InputSpec((2, 20))), "nothing-in-it"),
        (Network(Block([linear(3, 4)]), (InputSpec((2, 3)), InputSpec((2, 4)))), "takes-one-input"),
    ],
)
def test_a_network_that_calls_no_layer_is_explained_and_drawn(network: Network, why: str) -> None:
    report = build(network)

    assert report.links == ()
    assert report.why == why
    assert figures.shape_chain(report, LIGHT, WORDS).layout.height


def test_a_shared_layer_is_called_again_and_counted_once(reports: dict[str, object]) -> None:
    report = reports["shared"]

    assert [link.is_again for link in report.links] == [False, False, True, False, True, False]
    assert report.trace.total_parameters == 20 * 20 + 20 + 20 * 10 + 10
    assert {row.path: row.same_as for row in report.modules}["4"] == "0"


def test_branches_start_anew_and_are_joined(reports: dict[str, object]) -> None:
    links = {link.path: link for link in reports["branches"].links}

    assert [path for path, link in links.items() if link.starts_branch] == ["1.1", "1.2.0"]
    (joint,) = links["1.2.2"].joints
    assert (joint.kind, joint.output_shape) == (BlockKind.CONCATENATE, (2, 24, 16, 16))


def test_an_addition_that_fails_is_where_the_way_ends() -> None:
    report = build(
        Network(Block([Block([linear(4, 3)], kind=BlockKind.RESIDUAL)]), InputSpec((2, 4)))
    )

    assert report.trace.failed_at == "0"
    (link,) = report.links
    assert link.joints[0].output_shape is None


def test_what_is_no_network_is_refused() -> None:
    for text in ("", "{}", "null", '{"network": 1, "input": []}', STARTS["mlp"].to_json()[:-1]):
        with pytest.raises(InvalidSpecError):
            BuildNetwork(network=text)


def test_a_network_that_is_too_large_is_refused_before_it_is_made() -> None:
    with pytest.raises(InvalidSpecError):
        build(Network(Block([linear(10**6, 10**6)]), InputSpec((1, 10**6))))


def test_the_list_has_torchs_layers_and_the_lessons_own() -> None:
    names = {each.name for each in experiment.list_layers(ListLayers()).layers}

    assert {"Linear", "LSTM", "TransformerEncoderLayer", "NestMLP", "FixedHiddenMLP"} <= names
    assert len(names) > 110


@in_turn("palette", [LIGHT, DARK])
@pytest.mark.parametrize("start", STARTS)
def test_the_picture_has_every_shape_on_the_way(
    start: str, palette: object, reports: dict[str, object]
) -> None:
    report = reports[start]

    figure = figures.shape_chain(report, palette, WORDS)

    texts = " ".join(each.text for each in figure.layout.annotations)
    for link in report.links:
        assert link.type_name in texts
        if link.output_shape is not None:
            assert str(link.output_shape) in texts


def test_the_failing_layer_is_in_the_colour_of_trouble_and_nothing_follows(
    reports: dict[str, object],
) -> None:
    figure = figures.shape_chain(reports["broken"], LIGHT, WORDS)

    bodies = [shape for shape in figure.layout.shapes if shape.fillcolor]
    assert len(bodies) == 4
    assert [body.line.color == LIGHT.trouble for body in bodies] == [False, False, False, True]
    assert "Linear" not in " ".join(each.text for each in figure.layout.annotations)


def test_a_long_network_is_drawn_in_part_and_says_so() -> None:
    report = build(Network(Block([Layer("ReLU", times=60)]), InputSpec((2, 4))))

    figure = figures.shape_chain(report, LIGHT, WORDS)

    assert WORDS["more_layers"].format(count=20) in [
        each.text for each in figure.layout.annotations
    ]


def test_what_is_drawn_stays_inside_the_picture(reports: dict[str, object]) -> None:
    for report in reports.values():
        figure = figures.shape_chain(report, LIGHT, WORDS)
        heights = [each.y for each in figure.layout.annotations]
        assert min(heights) >= 0
        assert max(heights) <= figure.layout.height
