"""The whole table; ``python -m tests.machines.cases.table NAME`` answers one case, as JSON."""

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.machines.cases.case import CASES, Case, answer

ROOT = Path(__file__).parents[3]
for _, _name, _ in pkgutil.iter_modules([str(Path(__file__).parent)]):
    if _name != "table":  # importing a file puts its cases into the table
        importlib.import_module(f"tests.machines.cases.{_name}")


def answer_of_cuda(row: Case) -> Any:
    """The answer of this computer's CUDA, in a new process where the case needs one."""
    if not row.fresh:
        return answer(row.action)
    environment = {
        name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"
    }
    command = [sys.executable, "-m", __name__, row.name]
    output = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    return json.loads(output.stdout)


if __name__ == "__main__":
    print(json.dumps(answer(CASES[sys.argv[1]].action)))  # noqa: T201 - read by the test
