"""Parts of a real server break while students work; they go on, and nothing they did is lost."""

import asyncio
import socket
import sys
from contextlib import suppress

import numpy as np
import pytest
from safetensors.numpy import save
from websockets.exceptions import ConnectionClosed

from benchmarks.class_load import hosted
from benchmarks.class_load.files import File
from benchmarks.server import HOST
from playground.sandbox.jail import landlock_seccomp
from tests.faults.school import School, kill
from tests.faults.student import Student
from tests.waiting import MAX_SECONDS, wait_until
from ui.language import table

pytestmark = pytest.mark.anyio
needs_jail = pytest.mark.skipif(
    landlock_seccomp.landlock_version() == 0, reason="this system can have no jail"
)
LESSON, STEPS = "tensors", ("same_device_error", "numpy_sharing", "one_to")
UPLOADS, PAGES = "playground_uploads_bytes", "playground_pages_open"
WEIGHTS = File("weights.safetensors", save({"weight": np.zeros((512, 1024), np.float32)}))


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    """One server for all faults: it takes seconds to start."""
    if sys.platform != "linux":
        pytest.skip("the faults are made by Linux's means")
    made = School(tmp_path_factory.mktemp("school"))
    with made.running():
        hosted.wait_until_ready(made.port)
        yield made


# -- the database and the disk ---------------------------------------------------------------------


@pytest.mark.parametrize("break_it", [School.without_database, School.full_disk])
async def test_answers_wait_until_they_can_be_written(school, break_it):
    await school.has_written_all()
    before = len(school.answers())
    async with Student.at(school.port) as ada:
        with break_it(school):
            for step in STEPS:
                await ada.predict(LESSON, step)
            await school.has_lost_database()
            async with Student.at(school.port, LESSON) as late:
                assert table()["progress.troubled"].en in late.screen
            await ada.open_step(LESSON, STEPS[0])
            assert ada.has_answer(LESSON, STEPS[0])

        await school.has_written_all()
        assert [answer[2] for answer in school.answers()[before:]] == [*STEPS]


async def test_a_file_needs_no_room_on_a_full_disk_and_is_forgotten_when_its_page_is_left(school):
    """A cell is not run here: the limit holds for files in memory too, where the jail has them."""
    async with Student.at(school.port) as ada:
        before = school.metric(UPLOADS)
        with school.full_disk():
            await ada.give_file(WEIGHTS)  # larger than what web servers hold in memory
        assert "(512, 1024)" in ada.screen
        assert school.metric(UPLOADS) == before + len(WEIGHTS.data)
        await ada.go("devices")
        await asyncio.to_thread(wait_until, lambda: school.metric(UPLOADS) == before)


# -- processes -------------------------------------------------------------------------------------


async def test_a_worker_killed_at_work_costs_one_try_and_nobody_an_answer(school):
    card = "training-watch"
    async with Student.at(school.port) as ada, Student.at(school.port) as bob:
        before = len(school.answers())
        await ada.predict("training", "prepare_both")
        await ada.open_step("training", "watch")
        await ada.give_by_key(f"{card}-epochs", ("double_value", 120.0))
        watching = asyncio.create_task(ada.give_by_key(f"{card}-run"))
        kill((await asyncio.to_thread(school.busy_below, "forkserver"))[1])
        await bob.predict("training", "same_curve")
        await watching

        assert table()["failures.crashed"].en in ada.screen
        await ada.give_by_key(f"{card}-epochs", ("double_value", 1.0))
        await ada.give_by_key(f"{card}-run")
        assert "Steps of the optimizer" in ada.screen
        await ada.open_step("training", "prepare_both")
        assert ada.has_answer("training", "prepare_both")
        await asyncio.to_thread(wait_until, lambda: len(school.answers()) == before + 2)


@needs_jail
async def test_a_killed_zygote_costs_one_run_and_no_text(school):
    endless = "x = 0\nwhile True:\n    x += 1"
    async with Student.at(school.port) as ada:
        running = asyncio.create_task(ada.run_cell(endless))
        busy = asyncio.create_task(asyncio.to_thread(school.busy_below, "zygote"))
        while not busy.done():
            await asyncio.wait({busy, running}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():  # its time was over before it had computed enough
                running = asyncio.create_task(ada.run_cell(endless))
        kill(busy.result()[0])
        await running

        assert "tp-outcome" in ada.screen
        assert "x += 1" in ada.screen
        await ada.run_cell("6 * 7")
        assert ">\n42<" in ada.screen


# -- a browser on a bad line -----------------------------------------------------------------------

TINY = 4096  # bytes that the line holds
PAUSE_SECONDS = 0.1  # as fast as the server lets a session click
CLICKS = 50
LONG = "print('x' * 60_000)"  # so much is sent again with each click
MAX_MEGABYTES = 60.0


class SlowStudent(Student):
    """A student whose computer reads only when it is told to."""

    def __init__(self, port: int, browser: hosted.Browser) -> None:
        super().__init__(port, browser)
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, TINY)
        line.connect((HOST, port))
        self.options |= {"sock": line, "max_queue": 1}

    async def click_without_reading(self) -> None:
        """Have the page drawn again and again, as if nothing of it had ever come.

        It comes to nothing once the server has closed the connection.
        """
        self._cached_messages.clear()
        request = self._request(page=self._page).SerializeToString()
        with suppress(ConnectionClosed):
            for _ in range(CLICKS):
                await self._socket.send(request)
                await asyncio.sleep(PAUSE_SECONDS)


@needs_jail
async def test_who_reads_too_slowly_comes_back_to_the_same_session(school):
    async with Student.at(school.port) as bob, SlowStudent.at(school.port) as ada:
        await ada.predict(LESSON, STEPS[0])
        await ada.run_cell(LONG)
        await asyncio.to_thread(wait_until, lambda: school.metric(PAGES) == 2)
        before = school.megabytes
        async with asyncio.timeout(MAX_SECONDS):
            while await asyncio.to_thread(school.metric, PAGES) == 2:
                await ada.click_without_reading()
                await bob.go("devices")
                await bob.go("")
                assert school.megabytes - before < MAX_MEGABYTES

    again = Student(school.port, ada.browser)
    again.options["subprotocols"] = ["streamlit", "no-token", ada.session]
    async with again:
        await again.go("")
        await again.open_step(LESSON, STEPS[0])
        assert again.session == ada.session
        assert again.has_answer(LESSON, STEPS[0])
        await again.go("lab")
        assert "60_000" in again.screen  # and the cell is where it was
