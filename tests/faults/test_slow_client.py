"""A browser on a bad line clicks faster than it reads; only it notices, and it comes back."""

import asyncio
import socket
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from benchmarks.class_load.hosted import Browser
from benchmarks.server import HOST
from playground.sandbox.jail import landlock_seccomp
from tests.faults.school import School
from tests.faults.student import Student
from tests.waiting import MAX_SECONDS, wait_until

LESSON, STEP = "tensors", "same_device_error"
TINY = 4096  # bytes that the line holds
PAUSE_SECONDS = 0.1  # as fast as the server lets a session click
CLICKS = 50
LONG = "print('x' * 60_000)"  # so much is sent again with each click
MAX_MEGABYTES = 60.0


class SlowStudent(Student):
    """A student whose computer reads only when it is reported to."""

    def __init__(self, port: int, browser: Browser) -> None:
        super().__init__(port, browser)
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, TINY)
        line.connect((HOST, port))
        self.options |= {"sock": line, "max_queue": 1}

    async def click_without_reading(self) -> None:
        """Have the page drawn again and again, as if nothing of it had ever come.

        It comes to nothing once the server has closed the connection.
        """
        self._kept.clear()
        request = self._request(page=self._page).SerializeToString()
        with suppress(ConnectionClosed):
            for _ in range(CLICKS):
                await self._socket.send(request)
                await asyncio.sleep(PAUSE_SECONDS)


@pytest.mark.skipif(landlock_seccomp.landlock_version() == 0, reason="this system can have no jail")
def test_who_reads_too_slowly_comes_back_to_the_same_session(school: School) -> None:
    async def story() -> None:
        bob = await Student.coming_to(school.port)
        ada = await SlowStudent.coming_to(school.port)
        async with bob, ada:
            await bob.go("")
            await ada.go("")
            await ada.predict(LESSON, STEP)
            await ada.run_cell(LONG)
            await asyncio.to_thread(wait_until, lambda: school.open_pages() == 2)
            before = school.megabytes
            async with asyncio.timeout(MAX_SECONDS):
                while await asyncio.to_thread(school.open_pages) == 2:
                    await ada.click_without_reading()
                    assert (await bob.go("devices")).errors == []
                    assert (await bob.go("")).errors == []
                    assert school.megabytes - before < MAX_MEGABYTES

        again = Student(school.port, ada.browser)
        again.options["subprotocols"] = ["streamlit", "no-token", ada.session]
        async with again:
            await again.go("")
            assert (await again.open_step(LESSON, STEP)).errors == []
            assert again.session == ada.session
            assert again.has_answer(LESSON, STEP)
            await again.go("lab")
            assert "60_000" in again.screen  # and the cell is where it was

    asyncio.run(story())
