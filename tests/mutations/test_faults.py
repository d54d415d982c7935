import pytest

from tests.mutations.faults import ROOT, Fault, planted, read_faults

FAULTS = read_faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_changes_one_place_of_its_file_and_names_tests_that_are_there(fault):
    text = (ROOT / fault.file).read_text("utf-8")

    assert planted(fault, text) != text
    assert fault.tests
    for each in fault.tests:
        file, _, test = each.partition("::")
        assert f"def {test}" in (ROOT / file).read_text("utf-8")


def test_sixty_faults_have_an_id_each():
    assert len({each.id for each in FAULTS}) == len(FAULTS) >= 60


@pytest.mark.parametrize("text", ["x = 1", "a <= b or a <= b"])
def test_a_text_that_does_not_occur_once_is_an_error(text):
    fault = Fault(engine="", id="", file="", before="a <= b", after="a < b", tests=())

    with pytest.raises(ValueError, match="not once"):
        planted(fault, text)
