"""A process of the server dies at work; students go on as if nothing had been."""

import asyncio

import pytest

from playground.sandbox.jail import landlock_seccomp
from tests.faults.school import School, kill
from tests.faults.student import Student
from tests.waiting import wait_until
from ui.language import table

LESSON, STEP = "training", "watch"
BEFORE, AFTER = "prepare_both", "same_curve"
CARD = f"{LESSON}-{STEP}"
ENDLESS = "x = 0\nwhile True:\n    x += 1"
HONEST = "6 * 7"


def test_a_worker_killed_at_work_costs_one_try_and_nobody_an_answer(school: School) -> None:
    async def story() -> None:
        ada, bob = await Student.coming_to(school.port), await Student.coming_to(school.port)
        async with ada, bob:
            await ada.go("")
            await bob.go("")
            before = len(school.answers())
            await ada.predict(LESSON, BEFORE)
            await ada.open_step(LESSON, STEP)
            await ada.give_by_key(f"{CARD}-epochs", ("double_value", 120.0))
            watching = asyncio.create_task(ada.give_by_key(f"{CARD}-run"))
            kill(await asyncio.to_thread(school.busy_below, school.fork_server()))
            of_bob = await bob.predict(LESSON, AFTER)
            of_ada = await watching

            assert of_bob.errors == []
            assert of_ada.errors == []
            assert table()["failures.crashed"].en in ada.screen
            await ada.give_by_key(f"{CARD}-epochs", ("double_value", 1.0))
            again = await ada.give_by_key(f"{CARD}-run")
            assert again.errors == []
            assert "Steps of the optimizer" in ada.screen
            back = await ada.open_step(LESSON, BEFORE)
            assert back.errors == []
            assert ada.has_answer(LESSON, BEFORE)
            await asyncio.to_thread(wait_until, lambda: len(school.answers()) == before + 2)

    asyncio.run(story())


@pytest.mark.skipif(landlock_seccomp.landlock_version() == 0, reason="this system can have no jail")
def test_a_killed_zygote_costs_one_run_and_no_text(school: School) -> None:
    async def story() -> None:
        async with await Student.coming_to(school.port) as ada:
            await ada.go("")
            running = asyncio.create_task(ada.run_cell(ENDLESS))
            zygote = school.zygote()
            busy = asyncio.create_task(asyncio.to_thread(school.busy_below, zygote))
            while not busy.done():
                await asyncio.wait({busy, running}, return_when=asyncio.FIRST_COMPLETED)
                if running.done():  # its time was over before it had computed enough
                    running = asyncio.create_task(ada.run_cell(ENDLESS))
            kill(zygote)
            cut_off = await running

            assert cut_off.errors == []
            assert "tp-outcome" in ada.screen
            assert "x += 1" in ada.screen
            after = await ada.run_cell(HONEST)
            assert after.errors == []
            assert ">\n42<" in ada.screen

    asyncio.run(story())
