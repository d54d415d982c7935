"""The student's text is never lost: what replaces it can be taken back."""

from ui.lab.desk import MOST_CHARACTERS, MOST_STEPS, Desk


def test_a_changed_text_can_be_brought_back_after_another_start() -> None:
    desk = Desk()
    desk.open("start", start="tensors/move")
    desk.edit("mine")
    desk.open("other", start="tensors/bytes")

    desk.go_back()

    assert (desk.text, desk.origin, desk.start) == ("mine", "start", "tensors/move")


def test_an_unchanged_start_leaves_nothing_to_bring_back() -> None:
    desk = Desk()
    desk.open("start", start="tensors/move")
    desk.open("other", start="tensors/bytes")

    assert desk.earlier == []


def test_a_text_that_came_by_a_link_can_be_brought_back() -> None:
    desk = Desk()
    desk.open("a friend's")
    desk.open("other", start="tensors/bytes")
    desk.go_back()

    assert desk.text == "a friend's"


def test_a_reset_brings_the_start_back_and_can_itself_be_undone() -> None:
    desk = Desk()
    desk.open("start", exercise="visible")
    desk.edit("mine")

    desk.reset()
    assert (desk.text, desk.exercise, desk.is_changed) == ("start", "visible", False)
    desk.go_back()
    assert (desk.text, desk.exercise, desk.is_changed) == ("mine", "visible", True)


def test_only_a_text_from_here_is_a_new_version_for_the_editor() -> None:
    desk = Desk()
    desk.open("start")
    version = desk.version

    desk.edit("typed in the editor")
    assert desk.version == version
    desk.put("typed in the plain field")
    assert desk.version == version + 1
    desk.put("typed in the plain field")
    assert desk.version == version + 1


def test_what_is_kept_is_bounded() -> None:
    desk = Desk()
    desk.edit("x" * (10 * MOST_CHARACTERS))
    assert len(desk.text) == MOST_CHARACTERS

    for number in range(3 * MOST_STEPS):
        desk.open(f"text {number}")
    assert len(desk.earlier) == MOST_STEPS
    assert desk.earlier[-1][0] == f"text {3 * MOST_STEPS - 2}"
