"""The opcodes of any pickle, of all protocols, one after the other; executes nothing."""

import pickletools
import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from playground.checkpoints.inspect import caps
from playground.checkpoints.inspect.shown import shown

_BY_CODE = {ord(each.code): each for each in pickletools.opcodes}
_LENGTH_BYTES = {  # of the length that stands before an argument
    pickletools.TAKEN_FROM_ARGUMENT1: 1,
    pickletools.TAKEN_FROM_ARGUMENT4: 4,
    pickletools.TAKEN_FROM_ARGUMENT4U: 4,
    pickletools.TAKEN_FROM_ARGUMENT8U: 8,
}
_SIGNED = frozenset({"BININT", "LONG1", "LONG4"})
_PAIR = frozenset({"GLOBAL", "INST"})
_PROTO = 0x80
_LAST_PROTOCOL = 5
_MOST_OF_A_WHOLE = 10_000
_LONGEST_LINE = 4_096


@dataclass(frozen=True, slots=True)
class Instruction:
    """One opcode with its argument.

    Args:
        at: How many bytes precede it.
        name: As Python's pickletools names it, e.g. ``"REDUCE"``.
        argument: What it carries, fit to be shown; empty where it carries nothing.
    """

    at: int
    name: str
    argument: str = ""


def read_instructions(pickle: memoryview) -> Iterator[Instruction]:
    """Read opcodes until STOP, the end, or the first thing that is no opcode."""
    at = 0
    while at < len(pickle) and (opcode := _BY_CODE.get(pickle[at])):
        start, stop = _argument_span(pickle, at + 1, opcode)
        if stop > len(pickle):
            return
        yield Instruction(at, opcode.name, _argument_text(opcode, pickle[start:stop]))
        if opcode.name == "STOP":
            return
        at = stop


def announces_pickle(data: memoryview) -> bool:
    """Whether this begins as every pickle since protocol 2 does: with the protocol's number."""
    return len(data) > 2 and data[0] == _PROTO and 0 < data[1] <= _LAST_PROTOCOL


def is_whole_pickle(data: memoryview) -> bool:
    """Whether all of this is one pickle of the old kind that announces no protocol."""
    if not 2 <= len(data) <= caps.PICKLE_BYTES or data[-1] != ord("."):
        return False
    first = _BY_CODE.get(data[0])
    if first is None or first.stack_before or "GET" in first.name:
        return False  # it would take what nothing before it has given: a text such as "hello."
    last = deque(islice(read_instructions(data), _MOST_OF_A_WHOLE), maxlen=1)
    return bool(last) and last[0].name == "STOP" and last[0].at == len(data) - 1


def _argument_span(pickle: memoryview, at: int, opcode: pickletools.OpcodeInfo) -> tuple[int, int]:
    """Where an argument begins and where it ends, its closing line break included."""
    if opcode.arg is None:
        return at, at
    size = opcode.arg.n
    if size == pickletools.UP_TO_NEWLINE:
        stop = _after_line(pickle, at)
        return at, _after_line(pickle, stop) if opcode.name in _PAIR else stop
    if size in _LENGTH_BYTES:
        start = at + _LENGTH_BYTES[size]
        return start, start + int.from_bytes(pickle[at:start], "little")
    return at, at + size


def _after_line(pickle: memoryview, at: int) -> int:
    """Where the next line begins; beyond the end where no line break follows."""
    found = bytes(pickle[at : at + _LONGEST_LINE]).find(b"\n")
    return len(pickle) + 1 if found < 0 else at + found + 1


def _argument_text(opcode: pickletools.OpcodeInfo, argument: memoryview) -> str:
    if opcode.arg is None:
        return ""
    raw = bytes(argument[: 4 * caps.TEXT])
    if opcode.name == "BINFLOAT":
        return str(struct.unpack(">d", raw)[0])
    if opcode.arg.n == pickletools.UP_TO_NEWLINE:
        lines = raw.decode("utf-8", "replace").rstrip("\n").split("\n")
        return shown(".".join(lines) if opcode.name in _PAIR else lines[0])
    if "UNICODE" in opcode.name:
        return shown(repr(raw.decode("utf-8", "replace")))
    if "STRING" in opcode.name or "BYTES" in opcode.name or "BYTEARRAY" in opcode.name:
        return shown(repr(raw))
    return shown(str(int.from_bytes(raw[:64], "little", signed=opcode.name in _SIGNED)))
