"""Two real web processes behind the shipped nginx configuration, and one of them is lost."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import psutil
import pytest

from tests.deploy.nginx import BEHIND, Proxy, program, proxied
from tests.deploy.students import Student, every, until, working
from tests.hosting.browser import Browser
from tests.hosting.server import CODE, Server, serving
from tests.waiting import MAX_SECONDS

pytestmark = pytest.mark.anyio
CLASS = 6
FILE = b"not a checkpoint"


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """By the number that stands in the proxy's cookie."""
    program()
    settings = {"data_folder": str(tmp_path_factory.mktemp("data")), **BEHIND}
    with ExitStack() as stack:
        yield {
            number: stack.enter_context(
                serving(tmp_path_factory.mktemp("replica"), without=["jail"], **settings)
            )
            for number in ("1", "2")
        }


@pytest.fixture(scope="module")
def proxy(replicas: dict[str, Server], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    ports = [replica.port for replica in replicas.values()]
    with proxied(tmp_path_factory.mktemp("nginx"), ports) as started:
        yield started


def students_of(proxy: Proxy) -> list[Student]:
    return [Student(Browser(proxy), gpus=(1, 3, 4)[number % 3]) for number in range(CLASS)]


async def sit_down(students: list[Student]) -> None:
    """Each comes in by the code, on the replica that the proxy chose, and opens the lesson."""
    for student in students:
        assert student.browser.open("/tensors").status == 401
        assert student.browser.enter(CODE).status == 303
    await every([student.arrive() for student in students])


def send(student: Student, file: str) -> int:
    return student.browser.upload(student.tab.session, file, FILE).status


def kill(replica: Server) -> list[psutil.Process]:
    """As when the memory is gone: no goodbye. Returns the processes that it leaves behind."""
    assert replica.process is not None
    left = psutil.Process(replica.process.pid).children(recursive=True)
    replica.process.kill()
    replica.process.wait(MAX_SECONDS)
    return left


def end_now(left: list[psutil.Process]) -> None:
    """End what a killed replica has left; systemd and containers do that by themselves."""
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=MAX_SECONDS)


async def test_websocket_and_uploads_of_one_visitor_meet_the_same_replica(proxy: Proxy) -> None:
    students = students_of(proxy)
    await sit_down(students)
    assert {student.browser.replica for student in students} == {"1", "2"}
    for number in range(3):
        assert [send(student, str(number)) for student in students] == [204] * CLASS
    lost = students[0]
    lost.browser.cookies["playground_replica"] = "2" if lost.browser.replica == "1" else "1"
    assert send(lost, "elsewhere") == 400  # it is the cookie that keeps them together
    await every([student.leave() for student in students])


def test_a_cookie_that_names_no_replica_is_replaced(proxy: Proxy) -> None:
    for invented in ("7", "", "127.0.0.1", "playground", "1 1"):
        visitor = Browser(proxy, cookies={"playground_replica": invented})
        assert visitor.open("/").status == 401
        assert visitor.replica in {"1", "2"}


async def test_killing_a_replica_moves_its_students_and_disturbs_nobody_else(
    proxy: Proxy, replicas: dict[str, Server]
) -> None:
    students = students_of(proxy)
    await sit_down(students)
    doomed = students[0].browser.replica
    moved = [student for student in students if student.browser.replica == doomed]
    others = [student for student in students if student not in moved]
    sessions = [student.tab.session for student in others]
    assert others
    async with working(students):
        left = await asyncio.to_thread(kill, replicas[doomed])
        await until(lambda: all(student.cuts for student in moved))
        clicks = [student.clicks for student in students]
        await until(lambda: all(one.clicks > n for one, n in zip(students, clicks, strict=True)))
    end_now(left)

    assert [student.tab.session for student in others] == sessions
    assert [student.cuts for student in others] == [[]] * len(others)
    for student in moved:
        assert student.cuts == [(before, before) for before, _ in student.cuts]
        assert student.browser.replica == others[0].browser.replica
        assert student.browser.open("/tensors").status == 200  # still signed in

    await asyncio.to_thread(replicas[doomed].start)  # and nobody is sent back to it
    assert [send(student, "after") for student in students] == [204] * CLASS
    await every([student.leave() for student in students])


async def test_a_replica_that_came_back_gets_new_visitors(proxy: Proxy) -> None:
    def arrives_at() -> str:
        visitor = Browser(proxy)
        assert visitor.open("/").status == 401
        return visitor.replica

    await until(lambda: {arrives_at() for _ in range(4)} == {"1", "2"})
