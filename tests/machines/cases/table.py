"""The whole table; ``python -m tests.machines.cases.table NAME`` answers one case, as JSON."""

import json
import sys

from tests.machines.cases import (  # noqa: F401 - importing a file puts its cases into the table
    autograd,
    creation,
    devices,
    files,
    indexing,
    integers,
    layers,
    memory,
    mismatch,
    moving,
    numpy_and_text,
    scalars,
    training,
    views,
    visible,
)
from tests.machines.cases.case import CASES, answer

if __name__ == "__main__":
    print(json.dumps(answer(CASES[sys.argv[1]].action)))  # noqa: T201 - read by the test
