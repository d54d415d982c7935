from benchmarks.cold_start import arrivals
from benchmarks.run import Message


def test_a_panel_brings_the_words_and_after_a_press_of_run_the_answer() -> None:
    messages = [
        Message("markdown", 10, 0.5, place="sidebar"),
        Message("bidi_component", 10, 1.0, fragment="lesson", place="main"),
        Message("bidi_component", 10, 1.5, place="main"),  # the script of the page
        Message("script_finished", 10, 2.0),
        Message("bidi_component", 10, 3.0, fragment="lesson", place="main"),
        Message("page_link", 10, 3.5, fragment="lesson", place="main"),
    ]

    assert arrivals(messages) == {"words-of-first-step": 1.0, "first-step": 3.0}
