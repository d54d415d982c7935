"""``streamlit`` without parts of the server, or with a clock that can be set.

``python altered_streamlit.py without=jail,workers run …`` leaves both out: each imports torch, and
to start costs two or three times the computing time of the web process. Each still starts when it
is first used. ``clock=<file>`` names eight bytes, a number of seconds by which ``time.time`` is
ahead from now on.
"""

import mmap
import struct
import sys
import time
from pathlib import Path

OFFSET = struct.Struct("d")


def leave_out(names: str) -> None:
    from playground import compute
    from playground.sandbox import jail

    parts = {"jail": jail, "workers": compute}
    for name in names.split(","):
        parts[name].start = lambda *_, **__: None  # type: ignore[attr-defined]


def shift_clock(file: str) -> None:
    real = time.time
    with Path(file).open("r+b") as opened:
        held = mmap.mmap(opened.fileno(), OFFSET.size)
    time.time = lambda: real() + OFFSET.unpack_from(held)[0]


def main() -> None:
    while "=" in sys.argv[1]:
        name, _, value = sys.argv.pop(1).partition("=")
        {"without": leave_out, "clock": shift_clock}[name](value)
    from streamlit.web.cli import main as streamlit

    streamlit()


if __name__ == "__main__":
    main()
