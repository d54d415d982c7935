"""``streamlit`` without parts of the server: ``python streamlit_without.py jail,workers run …``.

Both parts import torch: to start, the jail takes three times the computing time of the web process,
and the workers twice. Each still starts when it is first used.
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
