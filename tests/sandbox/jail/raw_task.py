"""Tasks for the tests: a stranger's program as it is, with every tool at hand. Runs in the jail."""

import ctypes
import mmap
import multiprocessing
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import torch

from playground.sandbox.jail.warm_up import warm_up

__all__ = ["execute", "warm_up"]
TOOLS = (
    ctypes, mmap, multiprocessing, os, resource, shutil, signal, socket, subprocess, sys, threading,
    time, torch,
)  # fmt: skip


def execute(arguments, data, limits):
    """Execute a program without any check, and answer with what it calls ``result``."""
    names = {tool.__name__: tool for tool in TOOLS} | {"data": data} | arguments["names"]
    exec(arguments["source"], names)
    return {"result": names.get("result")}
