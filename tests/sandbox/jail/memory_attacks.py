"""Programs that try to hold memory which the limit on data does not count.

Each one counts in ``result`` the MiB that it has written and still holds, or the MiB of page tables
that it made the kernel keep. A refusal ends it early.
"""

from pathlib import Path
from textwrap import indent

from tests.sandbox.jail.attacks import programs

TOOLS = Path(__file__).with_name("programs").joinpath("memory_tools.txt").read_text()


def program(body: str) -> str:
    lines = indent(body.strip(), "    ")
    return f"{TOOLS}\ntry:\n{lines}\nexcept OSError as error:\n    print(error)\n"


HOLDING = programs("holding_memory")
GROWING_STACK = programs("growing_stack")  # its lowest page becomes a stack of its own, repeatedly

# one page in each GiB: the kernel keeps two page tables for it, which no limit counts
PAGE_TABLES = """
for gib in range(60_000):
    page = tried(libc.mmap, (16 + gib) << 30, PAGE, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0)
    ctypes.memset(page, 1, 1)
time.sleep(100)
"""
