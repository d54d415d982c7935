"""Two formats on the same weights, as a program."""

from playground.lessons.save_and_load.records import CompareFormats


def compare_formats(settings: CompareFormats) -> str:
    """Save and load in both formats; the sizes of the files."""
    return f"""\
import os
import statistics
import time

import torch
from safetensors.torch import load_file, save_file

torch.manual_seed(0)
state = {{f"layer{{i}}.weight": torch.randn({settings.numbers}) for i in range({settings.tensors})}}
ways = {{
    "weights.pt": (torch.save, torch.load),
    "weights.safetensors": (save_file, load_file),
}}
saving = {{file: [] for file in ways}}
loading = {{file: [] for file in ways}}
for _ in range({1 + settings.REPEATS}):
    for file, (save, load) in ways.items():
        begin = time.perf_counter()
        save(state, file)
        middle = time.perf_counter()
        for tensor in load(file).values():
            tensor.sum()  # a mapped file is read when its numbers are used
        end = time.perf_counter()
        saving[file].append(middle - begin)
        loading[file].append(end - middle)

for file in ways:  # the first round warms up
    print(file, statistics.median(saving[file][1:]), statistics.median(loading[file][1:]))

result = {{file: os.path.getsize(file) for file in ways}}
"""
