"""``streamlit`` without what a test does not use: ``python lean.py jail,workers run app.py …``.

Both import torch: the jail takes three times the computing time of the web process to start, the
workers take twice. Each would still start where somebody asks for it.
"""

import sys

from playground import compute
from playground.sandbox import jail

PARTS = {"jail": jail, "workers": compute}


def leave_out(*_: object, **__: object) -> None:
    """Stands for the ``start`` of a part."""


def main() -> None:
    for name in filter(None, sys.argv.pop(1).split(",")):
        PARTS[name].start = leave_out  # type: ignore[attr-defined]
    from streamlit.web.cli import main as streamlit

    streamlit()


if __name__ == "__main__":
    main()
