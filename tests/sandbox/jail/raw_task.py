"""Tasks for the tests: a stranger's program as it is, with every tool at hand. Runs in the jail."""

from importlib import import_module

from playground.sandbox.jail.warm_up import warm_up

__all__ = ["execute", "warm_up"]
NAMES = ("ctypes", "mmap", "multiprocessing", "os", "resource", "shutil", "signal", "socket")
NAMES += ("subprocess", "sys", "threading", "time", "torch")
TOOLS = {name: import_module(name) for name in NAMES}


def execute(arguments, data, limits):
    """Execute a program without any check, and answer with what it calls ``result``."""
    names = TOOLS | {"data": data} | arguments["names"]
    exec(arguments["source"], names)
    return {"result": names.get("result")}
