"""The reader survives any bytes."""

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from playground.sandbox.jail.answer import read_answer
from playground.sandbox.limits import Limits

LIMITS = Limits()
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    answer = read_answer(text, LIMITS)

    assert answer is None or isinstance(answer, dict)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_json_can_say_comes_back(value: dict) -> None:
    deep = Limits(result_depth=50)

    assert read_answer(json.dumps(value).encode(), deep) == value


@given(st.integers(1, 40))
def test_depth_is_counted(depth: int) -> None:
    text = b'{"x":' * depth + b"1" + b"}" * depth

    assert (read_answer(text, LIMITS) is not None) == (depth <= LIMITS.result_depth)


def test_infinite_numbers_are_refused() -> None:
    assert read_answer(b'{"x": 1e308}', LIMITS) == {"x": 1e308}
    assert read_answer(b'{"x": 1e309}', LIMITS) is None
    assert math.isinf(json.loads("1e309"))
