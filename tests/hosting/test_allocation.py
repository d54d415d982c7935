import platform

import pytest

from hosting import allocation


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc that is asked")
def test_the_c_library_grants_what_is_asked() -> None:
    assert allocation.give_back_early()
