"""The database or the disk is gone while students work; what they do is written once it is back."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest
from safetensors.numpy import save

from benchmarks.class_load.files import File
from tests.faults.school import School
from tests.faults.student import Student
from tests.waiting import wait_until
from ui.language import table

LESSON, STEPS = "tensors", ("same_device_error", "numpy_sharing", "one_to")
FAULTS = {"no database": School.without_database, "full disk": School.full_disk}


@pytest.mark.parametrize("break_it", FAULTS.values(), ids=FAULTS)
def test_answers_wait_until_they_can_be_written(
    school: School, break_it: Callable[[School], AbstractContextManager[None]]
) -> None:
    async def story() -> None:
        await asyncio.to_thread(wait_until, school.has_written_all)
        before = len(school.answers())
        async with await Student.coming_to(school.port) as ada:
            await ada.go("")
            with break_it(school):
                runs = [await ada.predict(LESSON, step) for step in STEPS]
                await asyncio.to_thread(wait_until, school.has_lost_database)
                async with await Student.coming_to(school.port) as late:
                    runs.append(await late.go(LESSON))
                    assert table()["progress.troubled"].en in late.screen
                runs.append(await ada.open_step(LESSON, STEPS[0]))
                assert ada.has_answer(LESSON, STEPS[0])

            assert [run.errors for run in runs] == [[]] * len(runs)
            await asyncio.to_thread(wait_until, school.has_written_all)
            assert [answer[2] for answer in school.answers()[before:]] == list(STEPS)

    asyncio.run(story())


@pytest.fixture(scope="session")
def weights() -> bytes:
    """A file that is larger than what web servers hold in memory by themselves."""
    return save({"weight": np.zeros((512, 1024), np.float32)})


def test_a_file_needs_no_room_on_a_full_disk(school: School, weights: bytes) -> None:
    """A cell is not run here: the limit holds for files in memory too, where the jail has them."""

    async def story() -> None:
        async with await Student.coming_to(school.port) as ada:
            await ada.go("")
            with school.full_disk():
                shown = await ada.give_file(File("weights.safetensors", weights))
            assert shown.errors == []
            assert "(512, 1024)" in ada.screen
            await ada.go("devices")  # the file is forgotten

    asyncio.run(story())


def test_a_file_is_forgotten_when_its_page_is_left(school: School, weights: bytes) -> None:
    async def story() -> None:
        async with await Student.coming_to(school.port) as ada:
            await ada.go("")
            before = school.kept_bytes()
            await ada.give_file(File("weights.safetensors", weights))
            assert school.kept_bytes() == before + len(weights)
            await ada.go("devices")
            await asyncio.to_thread(wait_until, lambda: school.kept_bytes() == before)

    asyncio.run(story())
