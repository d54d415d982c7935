import base64
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.sandbox.limits import LIMITS
from ui.lab.url_state import MAX_LINK_CHARACTERS, from_link, to_link


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data)).decode().rstrip("=")


# All that UTF-8 can write, said without its name: then hypothesis would try every character.
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=400))
def test_every_program_comes_back_as_it_was(source):
    link = to_link(source)
    assert link is not None
    assert len(link) <= MAX_LINK_CHARACTERS
    assert from_link(link) == source


@given(st.text(max_size=200))
def test_any_text_as_a_link_gives_a_program_or_none(text):
    source = from_link(text)
    assert source is None or len(source) <= LIMITS.source_characters


@pytest.mark.parametrize(
    "link",
    [
        "",
        "AAAA",
        "☃",
        "A" * (MAX_LINK_CHARACTERS + 1),
        packed(b"x = 1")[:-3],
        packed(b"x = 1") + packed(b"y"),
        packed(b"\xff\xfe"),
        packed(b"x\0y"),
        packed(b"x" * (LIMITS.source_characters + 1)),
        packed(b"\0" * 50_000_000),
    ],
    ids=["empty", "short", "snow", "long", "cut", "two", "latin", "nul", "much", "bomb"],
)
def test_a_damaged_link_is_no_program(link):
    assert from_link(link) is None


def test_what_does_not_fit_into_a_link_gives_none():
    noise = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(7_000))
    assert to_link(noise) is None
    assert to_link("x" * (LIMITS.source_characters + 1)) is None


def test_a_half_of_a_character_pair_makes_no_error():
    assert from_link(to_link("x = '\ud800'") or "") == "x = '?'"
