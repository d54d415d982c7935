import pytest

from ui.lab.session import MAX_CHARACTERS, MAX_STEPS, LabSession


def test_a_changed_text_and_one_of_a_link_can_be_brought_back_and_an_unchanged_start_not():
    lab = LabSession()
    lab.open("a friend's")
    lab.open("unchanged", start="tensors/fix")
    lab.open("start", start="tensors/move")
    lab.edit("mine")
    lab.open("other", start="tensors/bytes")

    lab.go_back()
    assert (lab.text, lab.origin, lab.start) == ("mine", "start", "tensors/move")
    lab.go_back()
    assert (lab.text, lab.earlier) == ("a friend's", [])


def test_a_reset_brings_the_start_back_and_can_itself_be_undone():
    lab = LabSession()
    lab.open("start", exercise="visible")
    lab.edit("mine")

    lab.reset()
    assert (lab.text, lab.exercise, lab.is_changed) == ("start", "visible", False)
    lab.go_back()
    assert (lab.text, lab.exercise, lab.is_changed) == ("mine", "visible", True)


def test_only_a_text_from_here_is_a_new_version_for_the_editor():
    lab = LabSession()
    lab.open("start")
    version = lab.version

    lab.edit("typed in the editor")
    assert lab.version == version
    lab.put("typed in the plain field")
    assert lab.version == version + 1


def test_what_is_kept_is_bounded():
    lab = LabSession()
    lab.edit("x" * (10 * MAX_CHARACTERS))
    assert len(lab.text) == MAX_CHARACTERS

    for number in range(3 * MAX_STEPS):
        lab.open(f"text {number}")
    assert len(lab.earlier) == MAX_STEPS
    assert lab.earlier[-1][0] == f"text {3 * MAX_STEPS - 2}"


@pytest.mark.parametrize(
    ("document", "start", "exercise"),
    [
        ("add-anywhere", "", "add-anywhere"),
        ("tensors/move", "tensors/move", ""),
        ("../etc", "", ""),
    ],
)
def test_a_kept_program_is_adopted_with_what_it_belongs_to(document, start, exercise):
    lab = LabSession(text="other", start="tensors/same_device_error", version=3, opened=1)

    lab.adopt("mine", "theirs", document)

    assert (lab.text, lab.origin, lab.start, lab.exercise) == ("mine", "theirs", start, exercise)
    assert lab.document == start + exercise
    assert (lab.version, lab.opened) == (3, 1)  # the editor shows it already
    assert lab.is_changed
