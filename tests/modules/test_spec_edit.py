import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.errors import InvalidSpecError
from playground.modules.spec import Block, BlockKind, Layer, Shared, edit

RELU, TANH, FLATTEN = Layer("ReLU"), Layer("Tanh"), Layer("Flatten")


def linear(inputs: int, outputs: int, **more: object) -> Layer:
    return Layer("Linear", {"in_features": inputs, "out_features": outputs}, **more)


some = settings(max_examples=40)
FLAT = Block([linear(4, 8), RELU, linear(8, 2)])
NESTED = Block([FLATTEN, Block([linear(4, 8), RELU], name="body"), TANH])

layers = st.builds(
    Layer,
    st.sampled_from(["ReLU", "Tanh", "Linear", "Dropout"]),
    st.dictionaries(st.sampled_from(["in_features", "p"]), st.integers(1, 9), max_size=2),
    times=st.integers(1, 3),
)
blocks = st.recursive(
    st.builds(Block, st.lists(layers, min_size=1, max_size=4)),
    lambda inner: st.builds(
        Block, st.lists(layers | inner, min_size=1, max_size=4), kind=st.sampled_from(BlockKind)
    ),
    max_leaves=6,
)


@st.composite
def places(draw: st.DrawFn) -> tuple[Block, edit.Address]:
    """A network, and the address of a node in it."""
    root = draw(blocks)
    return root, draw(st.sampled_from([address for address, _ in edit.walk(root)]))


@some
@given(places(), st.sampled_from(BlockKind))
def test_every_edit_is_undone_by_its_opposite(place, kind):
    root, address = place
    node = edit.node_at(root, address)
    copy = (*address[:-1], address[-1] + 1)
    grown = edit.duplicate(root, address)
    wrapped = edit.wrap(root, address, kind)

    assert edit.insert(edit.remove(root, address), address, node) == root
    assert edit.node_at(grown, copy) == node
    assert edit.remove(grown, copy) == root
    assert edit.node_at(wrapped, address) == Block([node], kind=kind)
    assert edit.unwrap(wrapped, address) == root
    assert edit.rename(edit.rename(root, address, "renamed"), address, None) == root
    assert edit.repeat(edit.repeat(root, address, 5), address, node.times) == root


@some
@given(places(), st.booleans())
def test_a_step_back_undoes_a_step(place, down):
    root, address = place
    target = edit.step(root, address, down=down)
    if target is None:
        return
    moved = edit.move(root, address, target)
    back = edit.step(moved, target, down=not down)

    assert edit.node_at(moved, target) == edit.node_at(root, address)
    assert back == address
    assert edit.move(moved, target, back) == root


@some
@given(places(), st.data())
def test_a_node_is_dragged_to_where_another_stands_and_back(place, data):
    root, address = place
    others = [each for each, _ in edit.walk(root) if each[: len(address)] != address]
    if not others:
        return
    target = data.draw(st.sampled_from(others))
    moved = edit.arrange(root, address, target)
    landed = edit.landing(address, target)

    assert edit.node_at(moved, landed) == edit.node_at(root, address)
    assert edit.move(moved, landed, address) == root


def test_a_block_becomes_another_kind_of_block():
    changed = edit.set_kind(NESTED, (1,), BlockKind.RESIDUAL)
    assert edit.set_kind(NESTED, edit.ROOT, BlockKind.CONCATENATE).kind is BlockKind.CONCATENATE
    expected = Block([linear(4, 8), RELU], kind=BlockKind.RESIDUAL, name="body")
    assert edit.node_at(changed, (1,)) == expected


def test_walking_meets_every_node_in_the_order_of_the_calls():
    assert [address for address, _ in edit.walk(NESTED)] == [(0,), (1,), (1, 0), (1, 1), (2,)]


@pytest.mark.parametrize(
    ("address", "down", "expected"),
    [
        ((0,), True, (0, 0)),  # into the block below, which moves up
        ((0,), False, None),
        ((1,), True, (2,)),
        ((1, 0), False, (1,)),  # out of the block, before it
        ((1, 1), True, (2,)),  # out of the block, behind it
        ((1, 0), True, (1, 1)),
        ((2,), False, (1, 2)),  # into the block above, at its end
        ((2,), True, None),
    ],
)
def test_a_step_enters_and_leaves_blocks(address, down, expected):
    assert edit.step(NESTED, address, down=down) == expected


@pytest.mark.parametrize("address", [(3,), (-1,), (0, 0), (1, 2), (1, 0, 0)])
def test_an_address_that_is_not_there_is_refused(address):
    assert not edit.has(NESTED, address)
    for change in (edit.remove, edit.duplicate, edit.wrap, edit.unwrap):
        with pytest.raises(IndexError):
            change(NESTED, address)
    with pytest.raises(IndexError):
        edit.node_at(NESTED, address)


@pytest.mark.parametrize(
    ("change", "address", "more"),
    [
        (edit.unwrap, (0,), ()),
        (edit.set_arguments, (1,), ({},)),
        (edit.set_kind, (0,), (BlockKind.RESIDUAL,)),
        (edit.remove, edit.ROOT, ()),
        (edit.arrange, (1,), ((1, 0),)),
        (edit.insert, (4,), (TANH,)),
    ],
)
def test_what_an_edit_cannot_be_made_on_is_refused(change, address, more):
    with pytest.raises(IndexError):
        change(NESTED, address, *more)


def test_the_path_of_an_address_is_torchs():
    root = Block([Layer("ReLU", times=2), Block([TANH, linear(1, 2, name="last")], name="body")])
    found = [edit.path_at(root, address) for address, _ in edit.walk(root)]
    assert found == ["0", "body", "body.0", "body.last"]


def test_a_duplicate_of_a_named_node_gets_the_next_name():
    root = Block([linear(2, 2, name="hidden")])
    twice = edit.duplicate(edit.duplicate(root, (0,)), (0,))
    assert twice.names() == (("hidden",), ("hidden3",), ("hidden2",))


# -- sharing -----------------------------------------------------------------------------------

LINEAR, EIGHT, COPIES = linear(4, 4), linear(8, 8), linear(4, 4, times=3)
TIED = Block([LINEAR, RELU, Shared("0")])
TWICE = Block([LINEAR, RELU, Shared("0"), Shared("0")])
HOLDER = Block([Block([LINEAR, Shared("0.0")])])
THRICE = Block([COPIES, Shared("2")])
BLOCK = Block([Block([LINEAR, RELU]), Shared("0")])


@pytest.mark.parametrize(
    ("change", "given", "more", "expected"),
    [
        (edit.share, Block([LINEAR, RELU]), [(0,), (2,)], TIED),
        # a path follows what it names
        (edit.insert, TIED, [(0,), FLATTEN], Block([FLATTEN, LINEAR, RELU, Shared("1")])),
        (edit.rename, TIED, [(0,), "a"], Block([linear(4, 4, name="a"), RELU, Shared("a")])),
        (edit.wrap, TIED, [(0,)], Block([Block([LINEAR]), RELU, Shared("0.0")])),
        # the first place that is left holds the layer
        (edit.remove, TWICE, [(0,)], Block([RELU, LINEAR, Shared("1")])),
        (edit.move, TIED, [(2,), (0,)], Block([LINEAR, Shared("0"), RELU])),
        # an edit of a shared place is one of the layer
        (edit.set_arguments, TIED, [(2,), EIGHT.keywords], Block([EIGHT, RELU, Shared("0")])),
        (edit.duplicate, TIED, [(2,)], TWICE),
        # a block shares within itself, a copy of several stays that copy
        (edit.duplicate, HOLDER, [(0,)], Block([*HOLDER.children, Block([LINEAR, Shared("1.0")])])),
        (edit.insert, THRICE, [(0,), RELU], Block([RELU, COPIES, Shared("3")])),
        (edit.repeat, THRICE, [(0,), 2], Block([linear(4, 4, times=2), Shared("1")])),
        (edit.unwrap, BLOCK, [(0,)], Block([LINEAR, RELU, Block([Shared("0"), Shared("1")])])),
    ],
)
def test_an_edit_keeps_what_is_shared(change, given, more, expected):
    assert change(given, *more) == expected


@pytest.mark.parametrize(
    "edited",
    [
        lambda: edit.rename(Block([linear(2, 2, name="hidden"), RELU]), (1,), "hidden"),
        lambda: edit.move(Block([Block([RELU]), Shared("0")]), (1,), (0, 0)),
        lambda: edit.remove(Block([RELU, Shared("7")]), (0,)),
    ],
    ids=["a name twice", "a block inside itself", "a path that leads nowhere"],
)
def test_an_edit_after_which_no_network_is_left_is_refused(edited):
    with pytest.raises(InvalidSpecError):
        edited()


@some
@given(places(), st.data())
def test_sharing_survives_any_insertion(place, data):
    root, address = place
    shared = edit.share(root, address, (len(root.children),))
    where = data.draw(st.sampled_from([each for each, _ in edit.walk(root)]))
    assert edit.remove(edit.insert(shared, where, FLATTEN), where) == shared
