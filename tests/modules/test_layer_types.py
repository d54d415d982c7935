import pytest

from playground.modules import catalogue
from playground.modules.layer_types import Group, grouped, search

LAYERS = catalogue.layers()


def names(query: str, **words: dict[Group, str]) -> list[str]:
    return [each.name for each in search(LAYERS, query, **words)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("LINEAR", "Linear"),
        ("conv 2d", "Conv2d"),
        ("batch norm 1d", "BatchNorm1d"),
        ("rnn", "RNN"),
        ("relu", "ReLU"),
        (" softmax ", "Softmax"),
    ],
)
def test_the_exact_name_comes_first(query, first):
    assert names(query)[0] == first


def test_the_beginning_of_a_name_comes_before_its_middle_and_a_name_before_a_summary():
    found = names("linear")
    assert found.index("Linear") < found.index("Bilinear") < found.index("ReLU")
    assert "rectified linear unit" in search(LAYERS, "relu")[0].summary


def test_a_group_is_found_by_its_words_in_another_language():
    found = names("汇聚", group_words={Group.POOLING: "汇聚层"})
    assert found == [each.name for each in LAYERS if each.group == Group.POOLING]
    assert names("汇聚") == []


def test_every_word_must_be_found_also_in_a_summary_or_a_group():
    assert names("elman") == ["RNN", "RNNCell"]
    assert set(names("recurrent")) >= {"RNN", "GRU", "LSTMCell"}
    assert names("lazy conv") == [each.name for each in LAYERS if each.name.startswith("LazyConv")]
    assert names("linear nowhere-to-be-found") == []


@pytest.mark.parametrize("query", ["", "  \t"])
def test_no_word_finds_everything_in_order(query):
    assert search(LAYERS, query) == LAYERS


def test_groups_hold_every_layer_once_in_the_order_of_the_documentation():
    rows = grouped(LAYERS)
    assert list(rows) == [group for group in Group if group != Group.CUSTOM]
    assert sum(rows.values(), ()) == LAYERS
