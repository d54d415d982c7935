from playground.lessons.tensors.out_of_memory import Afterwards, OutOfMemory
from tests.answers import assert_answer

GIB = 2**30


def test_a_device_that_is_full_says_so_with_its_numbers():
    found = assert_answer(OutOfMemory(), prediction="OutOfMemoryError")

    for part in ("Tried to allocate 3.00 GiB", "total capacity of 8.00 GiB", "2.00 GiB is free"):
        assert part in found.outcome.message
    sizes = {"held_size": "6.00 GiB", "free_size": "2.00 GiB", "total_size": "8.00 GiB"}
    assert found.facts == {"fitted": 2, **sizes}
    assert found.data.refused_bytes == 3 * GIB


def test_what_fits_exactly_fits():
    found = assert_answer(OutOfMemory(piece_gib=2.0, pieces=4), ok=True)

    assert (found.data.tensors, found.data.free_bytes) == ((2 * GIB,) * 4, 0)


def test_an_overwritten_name_needs_room_for_two():
    fits = OutOfMemory(afterwards=Afterwards.OVERWRITE, piece_gib=4.0, pieces=24)

    assert_answer(fits, prediction="works")
    assert_answer(fits.replaced(piece_gib=4.25, pieces=2), explanation="no-room-for-two")


def test_a_deleted_tensor_makes_room_and_is_offered_as_the_fix():
    step = OutOfMemory(afterwards=Afterwards.DELETE, piece_gib=8.0, pieces=24)

    deleted = assert_answer(step, prediction="works", held_size="0 bytes")
    assert deleted.data.kept_bytes == 8 * GIB
    assert_answer(OutOfMemory(), fix=("    held.append(x)", "    del x"))


def test_what_never_fits_has_no_fix():
    assert_answer(OutOfMemory(piece_gib=12.0), explanation="too-large", has_fix=False)
