"""The jail's own self-test, in a zygote as on a kernel without Landlock and seccomp."""

from playground.sandbox.jail import landlock_seccomp
from playground.sandbox.jail.self_test_task import self_test

__all__ = ["self_test", "warm_up"]


def warm_up():
    landlock_seccomp.apply_landlock = _is_missing
    landlock_seccomp.apply_seccomp = _is_missing


def _is_missing():
    raise OSError(38, "Function not implemented")
