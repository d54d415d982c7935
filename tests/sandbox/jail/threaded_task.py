"""A task whose module leaves a thread behind, as a careless library would."""

from tests.sandbox.jail.late_thread_task import begin_thread as warm_up
from tests.sandbox.jail.late_thread_task import nothing as self_test

__all__ = ["self_test", "warm_up"]
