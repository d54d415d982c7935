from benchmarks.cold_start import arrivals
from benchmarks.run import Message


def test_words_come_before_the_steps_and_a_step_is_whole_with_its_last_message() -> None:
    messages = [
        Message("markdown", 10, 0.5, place="sidebar"),
        Message("markdown", 10, 1.0, place="main"),
        Message("markdown", 10, 2.0, place="main"),
        Message("markdown", 10, 3.0, fragment="first", place="main"),
        Message("html", 10, 4.0, fragment="first", place="main"),
        Message("html", 10, 5.0, fragment="second", place="main"),
        Message("script_finished", 10, 6.0),
    ]

    assert list(arrivals(messages).values()) == [1.0, 2.0, 4.0, 5.0]
