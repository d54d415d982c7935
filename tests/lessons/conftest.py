import time
import zipfile
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="session", autouse=True)
def archives_have_no_date():
    """Let equal programs write equal files: a zip archive notes when each record was written."""
    clock = SimpleNamespace(time=time.time, localtime=lambda _: time.gmtime(10**9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zipfile, "time", clock)
        yield
