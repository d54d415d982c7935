"""The builder's parts that need no page: history, arguments, the tree's text, fixes."""

from types import SimpleNamespace

import pytest

from playground.errors import InvalidSpecError
from playground.modules.layer_types import Argument, ArgumentKind, Group
from playground.modules.spec import Block, Layer, Shared
from playground.modules.trace_types import Suggestion
from ui.builder.apply_fix import address_of, with_fix
from ui.builder.arguments import as_text, bounds, parse_value
from ui.builder.history import MAX_STEPS, EditHistory
from ui.builder.layer_list import MARKED, escaped
from ui.builder.result import module_tree
from ui.builder.toolbar import network_in
from ui.language import table


def argument(kind: ArgumentKind, **more: object) -> Argument:
    return Argument(name="x", kind=kind, **more)


def test_history_is_bounded_and_keeps_the_newest():
    history = EditHistory(["0"])

    for number in range(1, 3 * MAX_STEPS):
        history.push(str(number))

    assert len(history.texts) == MAX_STEPS
    assert history.text == str(3 * MAX_STEPS - 1)
    history.go(-10 * MAX_STEPS)
    assert not history.can_undo
    assert history.can_redo


def test_the_same_network_again_is_no_step():
    history = EditHistory(["a"])

    history.push("a")

    assert history.texts == ["a"]


@pytest.mark.parametrize(
    ("kind", "more", "reported", "expected"),
    [
        (ArgumentKind.INTEGER, {}, 3, 3),
        (ArgumentKind.NUMBER, {}, 0.5, 0.5),
        (ArgumentKind.SWITCH, {}, True, True),
        (ArgumentKind.SWITCH, {"allows_none": True}, "False", False),
        (ArgumentKind.SWITCH, {"allows_none": True}, "None", None),
        (ArgumentKind.CHOICE, {"choices": ("a", "b")}, "a", "a"),
        (ArgumentKind.INTEGERS, {"lengths": (2,)}, "3", 3),
        (ArgumentKind.INTEGERS, {"lengths": (2,)}, "(3, 5)", (3, 5)),
        (ArgumentKind.INTEGERS, {"lengths": (2,)}, "3 5", (3, 5)),
        (ArgumentKind.INTEGERS, {"lengths": (2,)}, "None, 5", (None, 5)),
        (ArgumentKind.INTEGERS, {"choices": ("same",)}, "same", "same"),
        (ArgumentKind.INTEGER_TUPLE, {}, "4", (4,)),
        (ArgumentKind.INTEGERS, {"allows_none": True}, "", None),
        (ArgumentKind.NUMBERS, {}, "0.5, 2", (0.5, 2.0)),
    ],
)
def test_what_a_control_says_becomes_an_argument(kind, more, reported, expected):
    value = parse_value(reported, argument(kind, **more))

    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("kind", "reported"),
    [
        (ArgumentKind.INTEGERS, "1, 2, 3"),
        (ArgumentKind.INTEGERS, "one"),
        (ArgumentKind.INTEGERS, ", ,"),
        (ArgumentKind.INTEGERS, ""),
        (ArgumentKind.INTEGER, None),
        (ArgumentKind.MODULE, "nn.ReLU()"),
    ],
)
def test_what_an_argument_cannot_be_is_not_taken(kind, reported):
    with pytest.raises(ValueError, match="x|invalid literal"):
        parse_value(reported, argument(kind, lengths=(2,)))


def test_what_is_typed_is_shown_again():
    kernel = argument(ArgumentKind.INTEGERS, lengths=(2,), choices=("same",))

    for value in (3, (3, 5), "same"):
        assert parse_value(as_text(value), kernel) == value


def test_a_dimension_counts_from_either_end_and_a_size_from_zero():
    assert bounds("end_dim")[0] < 0
    assert bounds("embedding_dim") == bounds("in_features")
    assert bounds("out_channels")[0] == 0


def test_what_a_file_has_brought_is_inside_the_bounds():
    assert bounds("dim", -99)[0] == -99
    assert bounds("in_features", 10**9)[1] == 10**9


def module(path: str, type_name: str, own: int | None = 0, same_as: str = "") -> SimpleNamespace:
    return SimpleNamespace(path=path, type_name=type_name, own_parameters=own, same_as=same_as)


def test_the_tree_has_each_module_once_and_a_line_for_each_place():
    drawn = module_tree(
        [module("", "Sequential"), module("0", "Linear", 1420), module("1", "Linear", 1420, "0")]
    )

    assert drawn.count("Linear") == 1
    assert "1,420" in drawn
    assert 'm0 -- "0" --> m1' in drawn
    assert 'm0 -. "1" .-> m1' in drawn


def test_nothing_in_a_name_ends_its_box():
    drawn = module_tree([module("", '"]; click m0 "javascript:x" <b>')])

    label = drawn.splitlines()[1].removeprefix('  m0(["').removesuffix('"])')
    assert not set(label) & {'"', "<", ">"}


def test_a_large_tree_is_cut():
    modules = [module("", "Sequential"), *(module(str(each), "ReLU") for each in range(300))]

    assert module_tree(modules, most=10).count("ReLU") == 9


def test_nothing_in_a_label_is_markdown():
    assert all(f"\\{sign}" in escaped(MARKED) for sign in MARKED)


NET = Block(
    [
        Layer.of("Linear", in_features=4, out_features=4),
        Block([Layer("ReLU"), Shared("0")], name="body"),
    ]
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("0", (0,)), ("body", (1,)), ("body.1", (1, 1)), ("0.inside", (0,)), ("", None), ("9", None)],
)
def test_a_path_leads_to_an_address(path, expected):
    assert address_of(NET, path) == expected


def test_a_suggestion_about_a_shared_place_changes_the_layer_itself():
    advice = Suggestion(path="body.1", type_name="Linear", argument="in_features", value=8)

    better = with_fix(NET, advice)

    assert better.children[0].keywords == {"in_features": 8, "out_features": 4}


def test_a_suggested_layer_is_put_before_the_failing_one():
    better = with_fix(NET, Suggestion(path="0", type_name="Linear", insert="Flatten"))

    assert better.children[0] == Layer("Flatten")
    assert better.children[2].children[1] == Shared("1")


def test_a_suggestion_about_the_whole_is_no_edit():
    with pytest.raises(IndexError):
        with_fix(NET, Suggestion(path="", type_name="Linear", argument="in_features", value=1))


def test_a_file_that_is_too_large_is_not_read():
    def read() -> bytes:
        raise AssertionError

    with pytest.raises(InvalidSpecError):
        network_in(10**9, read)


def test_every_group_of_layers_has_words():
    assert {f"builder.group-{group.value}" for group in Group} <= set(table())
