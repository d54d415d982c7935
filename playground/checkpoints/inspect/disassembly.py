"""Lists the opcodes of any pickle, and the calls that they ask for; executes nothing."""

import pickletools
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from playground.checkpoints.inspect.allow_list import ALLOWED, RefusedError, call_kind
from playground.checkpoints.inspect.archive import MAGIC, STORED, read_zip
from playground.checkpoints.inspect.results import (
    MAX_TEXT_CHARACTERS,
    Sentence,
    display_text,
    sentence,
)

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
_MAX_PICKLES = 10
_MAX_BLANKS = 100
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
    """Return whether this begins with a protocol number, as pickles since protocol 2 do."""
    return len(data) > 2 and data[0] == _PROTO and 0 < data[1] <= _LAST_PROTOCOL


def is_old_pickle(data: memoryview, most: int = _MAX_PICKLES) -> bool:
    """Return whether this begins with a pickle of the old kind, which announces no protocol.

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
    return len(data) <= _MAX_BLANKS and not bytes(data).strip()


class _Followed:
    """The stack of a pickle: only the values between marks are counted, none is made."""

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
    """Return the span of an argument, its closing line break included."""
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
    """Return the offset of the next line; beyond the end where no line break follows."""
    size = _USUAL_LINE
    while (found := bytes(pickle[at : at + size]).find(b"\n")) < 0:
        if size >= _LONGEST_LINE or at + size >= len(pickle):
            return len(pickle) + 1
        size *= 4
    return at + found + 1


def _argument_text(opcode: pickletools.OpcodeInfo, argument: memoryview) -> str:
    if opcode.arg is None:
        return ""
    raw = bytes(argument[: 4 * MAX_TEXT_CHARACTERS])
    if opcode.name == "BINFLOAT":
        return str(struct.unpack(">d", raw)[0])
    if opcode.arg.n == pickletools.UP_TO_NEWLINE:
        lines = raw.decode("utf-8", "replace").rstrip("\n").split("\n")
        return display_text(".".join(lines) if opcode.name in _PAIR else lines[0])
    if "UNICODE" in opcode.name:
        return display_text(repr(raw.decode("utf-8", "replace")))
    if "STRING" in opcode.name or "BYTES" in opcode.name or "BYTEARRAY" in opcode.name:
        return display_text(repr(raw))
    return display_text(str(int.from_bytes(raw[:64], "little", signed=opcode.name in _SIGNED)))


MAX_INSTRUCTIONS: Final = 2_000
_UNKNOWN: Final = "…"
_MARK: Final = "("


@dataclass(frozen=True, slots=True)
class Line:
    """One opcode, and what it means where it names or calls something.

    Args:
        instruction: The opcode.
        remark: What it would do; None where it only handles plain values.
        is_forbidden: Whether the inspector refuses the file for it.
    """

    instruction: Instruction
    remark: Sentence | None = None
    is_forbidden: bool = False


@dataclass(frozen=True, slots=True)
class Disassembly:
    """A pickle as a readable list.

    Args:
        lines: Its opcodes in their order, at most ``MAX_INSTRUCTIONS``.
        is_cut: Whether there are more.
    """

    lines: tuple[Line, ...]
    is_cut: bool = False

    @property
    def forbidden(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.is_forbidden)

    @property
    def text(self) -> str:
        return "\n".join(
            f"{each.at:>6}  {each.name:<16}{each.argument}".rstrip()
            for each in (line.instruction for line in self.lines)
        )


def disassemble(data: bytes) -> Disassembly:
    r"""List the opcodes of a pickle, alone or inside a file of torch.save.

    Args:
        data: The whole file.

    Returns:
        The list; without lines where there is no pickle that can be read as it lies.

    >>> found = disassemble(b"cposix\nsystem\n(X\x02\x00\x00\x00lstR.")
    >>> [line.instruction.name for line in found.forbidden]
    ['GLOBAL', 'REDUCE']
    """
    pickle = _find_pickle(memoryview(data))
    read = list(islice(read_instructions(pickle), MAX_INSTRUCTIONS + 1))
    stack = _Stack()
    lines = tuple(stack.line(each) for each in read[:MAX_INSTRUCTIONS])
    return Disassembly(lines, len(read) > MAX_INSTRUCTIONS)


def _find_pickle(data: memoryview) -> memoryview:
    if bytes(data[:4]) != MAGIC:
        return data if announces_pickle(data) or is_old_pickle(data) else memoryview(b"")
    try:
        entries = read_zip(data)
    except RefusedError:
        return memoryview(b"")
    for entry in entries:
        if entry.name.endswith("/data.pkl") and entry.method == STORED:
            return entry.data
    return memoryview(b"")


class _Stack:
    """The pickle machine's stack, holding how each value would be written instead of the value."""

    def __init__(self) -> None:
        self._items: list[str] = []
        self._memo: dict[str, str] = {}

    def line(self, each: Instruction) -> Line:
        """Follow an instruction and say what it means."""
        name = each.name
        if name == "GLOBAL":
            return self._named(each, each.argument)
        if name == "STACK_GLOBAL":
            attribute, module = self._pop(), self._pop()
            return self._named(each, f"{module.strip(_QUOTES)}.{attribute.strip(_QUOTES)}")
        if name in ("REDUCE", "NEWOBJ", "NEWOBJ_EX"):
            if name == "NEWOBJ_EX":
                self._pop()  # arguments by name
            arguments = self._pop()
            return self._called(each, self._pop(), arguments)
        if name == "INST":
            return self._called(each, each.argument, _tuple(self._pop_mark()))
        if name == "OBJ":
            called, *rest = self._pop_mark() or [_UNKNOWN]
            return self._called(each, called, _tuple(rest))
        self._follow(each)
        return Line(each)

    def _named(self, each: Instruction, full_name: str) -> Line:
        full_name = display_text(full_name)
        self._items.append(full_name)
        if full_name in ALLOWED:
            return Line(each, sentence("opcodes", "name_allowed", {"name": full_name}))
        return Line(each, sentence("opcodes", "name", {"name": full_name}), is_forbidden=True)

    def _called(self, each: Instruction, called: str, arguments: str) -> Line:
        self._items.append(_UNKNOWN)
        values = {"name": called, "arguments": arguments}
        if called in ALLOWED and each.name == "REDUCE":
            return Line(each, sentence("opcodes", "call_allowed", values))
        return Line(each, sentence("opcodes", call_kind(called), values), is_forbidden=True)

    def _follow(self, each: Instruction) -> None:
        """Follow an instruction that neither names nor calls anything."""
        name, items = each.name, self._items
        if name in _CONSTANTS:
            items.append(_CONSTANTS[name])
        elif name in _GATHERS:
            items.append(_tuple(self._pop_mark()))
        elif name in _TUPLES:
            items.append(_tuple([self._pop() for _ in range(_TUPLES[name])][::-1]))
        elif name in _PUTS:
            place = str(len(self._memo)) if name == "MEMOIZE" else each.argument
            self._memo[place] = items[-1] if items else _UNKNOWN
        elif name in _GETS:
            items.append(self._memo.get(each.argument, _UNKNOWN))
        elif name in _DROPS:
            self._pop_mark()
        elif name in _POPS:
            for _ in range(_POPS[name]):
                self._pop()
        elif each.argument and name not in _SILENT:
            items.append(each.argument)

    def _pop(self) -> str:
        return self._items.pop() if self._items else _UNKNOWN

    def _pop_mark(self) -> list[str]:
        found: list[str] = []
        while self._items and (item := self._items.pop()) != _MARK:
            found.append(item)
        return found[::-1]


_QUOTES: Final = "'\""
_CONSTANTS: Final = {
    "MARK": _MARK,
    "NONE": "None",
    "NEWTRUE": "True",
    "NEWFALSE": "False",
    "EMPTY_TUPLE": "()",
    "EMPTY_LIST": "[]",
    "EMPTY_DICT": "{}",
    "EMPTY_SET": "set()",
}
_GATHERS: Final = frozenset({"TUPLE", "LIST", "DICT", "FROZENSET"})
_TUPLES: Final = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_PUTS: Final = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_GETS: Final = frozenset({"GET", "BINGET", "LONG_BINGET"})
_DROPS: Final = frozenset({"APPENDS", "SETITEMS", "ADDITEMS", "POP_MARK"})
_POPS: Final = {"APPEND": 1, "SETITEM": 2, "BUILD": 1, "POP": 1}
_SILENT: Final = frozenset({"PROTO", "FRAME"})


def _tuple(items: list[str]) -> str:
    inner = ", ".join(items[:50])
    return display_text(f"({inner},)" if len(items) == 1 else f"({inner})")
