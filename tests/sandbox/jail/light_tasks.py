"""Tasks for the tests that need no torch, so that their zygote starts at once."""

import os
import sys
import time


def pid(arguments, data, limits):
    return {"pid": os.getpid(), "parent": os.getppid()}


def speak(arguments, data, limits):
    sys.stdout.write("学习\n")
    return {}


def sleep(arguments, data, limits):
    time.sleep(3_600)


def echo(arguments, data, limits):
    return {"arguments": arguments, "length": len(data.read())}


def flood(arguments, data, limits):
    while True:
        sys.stdout.write("x" * 1000)


def die(arguments, data, limits):
    os._exit(7)
