"""The opcodes of any pickle, of all protocols, one after the other; executes nothing."""

import pickletools
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from playground.checkpoints.inspect import caps
from playground.checkpoints.inspect.shown import shown

_BY_CODE = {ord(each.code): each for each in pickletools.opcodes}
_BY_NAME = {each.name: each for each in pickletools.opcodes}
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
_MANY = 2_000
_MOST_PICKLES = 10
_MOST_BLANKS = 100
_USUAL_LINE, _LONGEST_LINE = 2**12, 2**24
_DIGITS = re.compile(r"-?[0-9]+[L…]?", re.ASCII)  # a long argument is cut
_NUMBERS = {
    "INT": _DIGITS,
    "LONG": _DIGITS,
    "FLOAT": re.compile(r"-?([0-9.]+(e[-+]?[0-9]+)?|inf|nan)"),
}


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


def is_old_pickle(data: memoryview, most: int = _MOST_PICKLES) -> bool:
    """Whether this begins with a pickle of the old kind, which announces no protocol.

    Any text may begin with opcodes, so it is believed only where they fit together, and nothing but
    pickles follows, or something is imported, or they go on for long.

    Args:
        data: A whole file.
        most: How many pickles may follow one another.
    """
    followed = _Followed()
    for each in islice(read_instructions(data), _MANY):
        if not followed.takes(each):
            return False
        if each.name == "STOP":
            rest = data[each.at + 1 :]
            if followed.imports or _is_blank(rest) or announces_pickle(rest):
                return True
            return most > 1 and is_old_pickle(rest, most - 1)
    return followed.count == _MANY


def _is_blank(data: memoryview) -> bool:
    return len(data) <= _MOST_BLANKS and not bytes(data).strip()


class _Followed:
    """What lies on the stack of a pickle, counted between its marks; no value is made."""

    def __init__(self) -> None:
        self._levels = [0]
        self._has_memo = False
        self.imports = False
        self.count = 0

    def takes(self, each: Instruction) -> bool:
        """Follow an instruction; false where what it needs is not there."""
        opcode = _BY_NAME[each.name]
        levels, needed, given = self._levels, len(opcode.stack_before), len(opcode.stack_after)
        if pickletools.markobject in opcode.stack_before:
            if len(levels) == 1:
                return False
            levels.pop()
            needed = opcode.stack_before.index(pickletools.markobject)
        if levels[-1] < needed or ("GET" in each.name and not self._has_memo):
            return False
        if each.name in _NUMBERS and not _NUMBERS[each.name].fullmatch(each.argument):
            return False
        if each.name == "STOP":
            return levels == [1]
        if each.name == "MARK":
            levels.append(0)
        else:
            levels[-1] += given - needed
        self._has_memo |= "PUT" in each.name
        self.imports |= each.name in _PAIR
        self.count += 1
        return True


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
    size = _USUAL_LINE
    while (found := bytes(pickle[at : at + size]).find(b"\n")) < 0:
        if size >= _LONGEST_LINE or at + size >= len(pickle):
            return len(pickle) + 1
        size *= 4
    return at + found + 1


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
