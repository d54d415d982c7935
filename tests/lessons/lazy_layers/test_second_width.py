import pytest

from playground.lessons.lazy_layers.second_width import Meeting, SecondWidth
from tests.answers import answer_once


@pytest.mark.parametrize("meeting", Meeting)
@pytest.mark.parametrize(("width", "second"), [(20, 21), (20, 20), (1, 100), (100, 100)])
def test_only_equal_widths_fit(meeting, width, second):
    answer = answer_once(SecondWidth(meeting=meeting, width=width, second=second))

    assert answer.prediction == ("works" if width == second else "RuntimeError")
    outputs = 256 if meeting is Meeting.SECOND_BATCH else second
    assert answer.data[0].boxes[0].shape == f"{outputs} × {width}"
