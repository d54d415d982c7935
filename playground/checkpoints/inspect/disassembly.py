"""What a pickle would do, told without doing it: its opcodes, and the calls that they ask for."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from playground.checkpoints.inspect import references
from playground.checkpoints.inspect.instructions import (
    Instruction,
    announces_pickle,
    is_old_pickle,
    read_instructions,
)
from playground.checkpoints.inspect.references import Meaning, meaning_of
from playground.checkpoints.inspect.sentences import Sentence, sentence
from playground.checkpoints.inspect.shown import shown
from playground.checkpoints.inspect.verdicts import RefusedError
from playground.checkpoints.inspect.zip_container import MAGIC, STORED, read_zip

MOST_INSTRUCTIONS: Final = 2_000
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
        lines: Its opcodes in their order, at most ``MOST_INSTRUCTIONS``.
        is_cut: Whether there are more.
    """

    lines: tuple[Line, ...]
    is_cut: bool = False

    @property
    def forbidden(self) -> tuple[Line, ...]:
        """The lines that the file is refused for."""
        return tuple(line for line in self.lines if line.is_forbidden)

    @property
    def text(self) -> str:
        """The list as plain text, a line for each opcode: its place, its name, its argument."""
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
    read = list(islice(read_instructions(pickle), MOST_INSTRUCTIONS + 1))
    return Disassembly(tuple(_explained(read[:MOST_INSTRUCTIONS])), len(read) > MOST_INSTRUCTIONS)


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


def _explained(instructions: Iterable[Instruction]) -> list[Line]:
    stack = _Stack()
    return [stack.line(each) for each in instructions]


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
        full_name = shown(full_name)
        self._items.append(full_name)
        if full_name in references.ALLOWED:
            return Line(each, sentence("opcodes", "name_allowed", {"name": full_name}))
        return Line(each, sentence("opcodes", "name", {"name": full_name}), is_forbidden=True)

    def _called(self, each: Instruction, called: str, arguments: str) -> Line:
        self._items.append(_UNKNOWN)
        told = {"name": called, "arguments": arguments}
        if called in references.ALLOWED and each.name == "REDUCE":
            return Line(each, sentence("opcodes", "call_allowed", told))
        return Line(each, sentence("opcodes", _call_kind(called), told), is_forbidden=True)

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
    return shown(f"({inner},)" if len(items) == 1 else f"({inner})")


def _call_kind(full_name: str) -> str:
    module, _, name = full_name.rpartition(".")
    if name in {"system", "popen", "Popen", "run", "call", "check_output", "check_call"} and (
        module in {"os", "posix", "nt", "subprocess", "commands"}
    ):
        return "call_shell"
    if module in {"builtins", "__builtin__"} and name in {"eval", "exec", "compile"}:
        return "call_python"
    return "call_program" if meaning_of(module, name) is Meaning.PROGRAM else "call"
