"""Cases that are tried in turn are all tried, and the one that fails is named."""

import itertools

import pytest

from tests.turns import in_turn

WORDS, PAIRS = ("one", "two"), ((1, 2), (3, 4), (5, 6))


def test_every_case_is_tried_with_every_other() -> None:
    tried = []

    @in_turn("word", WORDS)
    @in_turn(("left", "right"), PAIRS)
    def note(word: str, left: int, right: int, more: str) -> None:
        tried.append((word, (left, right), more))

    note(more="a fixture")

    assert tried == [(*case, "a fixture") for case in itertools.product(WORDS, PAIRS)]


def test_pytest_is_asked_for_fixtures_and_not_for_cases(request: pytest.FixtureRequest) -> None:
    @in_turn("word", WORDS)
    def note(word: str, tmp_path: object) -> None:
        assert word, tmp_path

    item = pytest.Function.from_parent(request.node.parent, name="note", callobj=note)

    assert "tmp_path" in item.fixturenames
    assert "word" not in item.fixturenames


def test_the_case_that_fails_is_named() -> None:
    @in_turn("word", WORDS)
    @in_turn(("left", "right"), PAIRS)
    def compare(word: str, left: int, right: int) -> None:
        assert (word, left, right) != ("two", 3, 4)

    with pytest.raises(AssertionError) as failed:
        compare()

    assert failed.value.__notes__ == ["where left=3, right=4", "where word='two'"]


def test_without_a_case_there_is_no_test() -> None:
    with pytest.raises(AssertionError, match="no case of word"):
        in_turn("word", [])
