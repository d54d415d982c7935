"""The zoo of networks whose traces are compared with torchinfo and with closed forms."""

from tests.modules import (  # noqa: F401 - each enters its networks
    trace_zoo_nets,
    trace_zoo_own,
    trace_zoo_small,
    trace_zoo_special,
)
from tests.modules.trace_case import CASES, Case, case

ALL = tuple(CASES)
__all__ = ["ALL", "Case", "case"]
