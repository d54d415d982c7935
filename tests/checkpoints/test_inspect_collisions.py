"""Numbers that a stranger chose so that a dict of Python would take minutes over them."""

import struct
import sys

import pytest

from playground.checkpoints.inspect import Verdict, inspect, limits
from tests.checkpoints import handmade as by_hand

HASH_MODULUS = sys.hash_info.modulus


def keys(*numbers: int) -> bytes:
    return by_hand.checkpoint(by_hand.dict_of(*((by_hand.number(each), b"N") for each in numbers)))


def test_keys_that_all_have_one_hash_are_refused():
    same = [HASH_MODULUS * each for each in range(1, 50)]
    assert len({hash(each) for each in same}) == 1

    found = inspect(keys(*same), "odd.pt")

    assert (found.verdict, found.why.key) == (Verdict.BAD_KEYS, "bad_keys_number")


@pytest.mark.parametrize("number", [-(2**63), 2**63 - 1])
def test_keys_of_64_bits_are_keys(number):
    assert inspect(keys(number), "odd.pt").accepted


@pytest.mark.parametrize("number", [-(2**63) - 1, 2**63])
def test_larger_keys_are_none(number):
    assert inspect(keys(number), "odd.pt").verdict is Verdict.BAD_KEYS


@pytest.mark.parametrize("container", [by_hand.dict_of, by_hand.list_of])
def test_no_container_grows_beyond_what_a_file_may_hold(container):
    is_dict = container is by_hand.dict_of
    items = [by_hand.number(each) for each in range(limits.NODES + 1)]
    body = container(*((each, b"N") for each in items)) if is_dict else container(*items)

    assert inspect(by_hand.checkpoint(body), "odd.pt").verdict is Verdict.TOO_MANY_NODES


@pytest.mark.parametrize("place", [limits.OPCODES, 2**32 - 1])
def test_a_memo_has_no_more_places_than_a_pickle_has_steps(place):
    body = b"Nr" + struct.pack("<I", place)

    assert inspect(by_hand.checkpoint(body), "odd.pt").verdict is Verdict.BAD_PICKLE


def test_a_place_of_the_memo_that_was_skipped_holds_nothing():
    body = b"Nr" + struct.pack("<I", 300) + b"h\x07\x86"

    assert inspect(by_hand.checkpoint(body), "odd.pt").verdict is Verdict.BAD_PICKLE
