"""The allowed opcodes of a pickle, and a scan that meets each of them once; executes nothing."""

import pickletools

from playground.checkpoints.inspect import caps
from playground.checkpoints.inspect.references import ALLOWED, meaning_of
from playground.checkpoints.inspect.shown import shown
from playground.checkpoints.inspect.verdicts import RefusedError, Verdict

PROTO, STOP, MARK = 0x80, ord("."), ord("(")
NONE, NEWTRUE, NEWFALSE = ord("N"), 0x88, 0x89
BININT, BININT1, BININT2, LONG1 = ord("J"), ord("K"), ord("M"), 0x8A
BINFLOAT, BINUNICODE = ord("G"), ord("X")
EMPTY_DICT, EMPTY_LIST, EMPTY_TUPLE = ord("}"), ord("]"), ord(")")
TUPLE, TUPLE1, TUPLE2, TUPLE3 = ord("t"), 0x85, 0x86, 0x87
APPEND, APPENDS, SETITEM, SETITEMS = ord("a"), ord("e"), ord("s"), ord("u")
BINPUT, LONG_BINPUT, BINGET, LONG_BINGET = ord("q"), ord("r"), ord("h"), ord("j")
GLOBAL, REDUCE, BUILD, BINPERSID = ord("c"), ord("R"), ord("b"), ord("Q")

_WITHOUT = (
    *(STOP, MARK, NONE, NEWTRUE, NEWFALSE, EMPTY_DICT, EMPTY_LIST, EMPTY_TUPLE),
    *(TUPLE, TUPLE1, TUPLE2, TUPLE3, APPEND, APPENDS, SETITEM, SETITEMS, REDUCE, BUILD, BINPERSID),
)
# Bytes after the opcode, for those with a fixed number of them.
_ARGUMENT_BYTES = {
    **dict.fromkeys(_WITHOUT, 0),
    **{PROTO: 1, BININT1: 1, BININT2: 2, BININT: 4, BINFLOAT: 8},
    **{BINPUT: 1, BINGET: 1, LONG_BINPUT: 4, LONG_BINGET: 4},
}
_STEPS = tuple(_ARGUMENT_BYTES.get(code, -1) + 1 for code in range(256))  # 0: look closer

_NAMES = {ord(each.code): each.name for each in pickletools.opcodes}
START = b"\x80\x02"


def scan(pickle: bytes) -> None:
    """Check every opcode and every name of a pickle, from its first byte to its last.

    Args:
        pickle: The whole record; at most ``caps.PICKLE_BYTES``.

    Raises:
        RefusedError: PICKLE_OPCODE, FORBIDDEN_GLOBAL, PICKLE_TOO_LONG, PICKLE_TRAILING,
            TOO_MANY_NODES or BAD_PICKLE, whichever comes first in the stream.
    """
    if not pickle.startswith(START):
        raise RefusedError(Verdict.PICKLE_OPCODE, "pickle_protocol")
    size = len(pickle)
    at = slow = 0
    for _ in range(caps.OPCODES):
        if at >= size:
            raise RefusedError(Verdict.BAD_PICKLE)
        code = pickle[at]
        step = _STEPS[code]
        if code == BINUNICODE:
            at += 5 + int.from_bytes(pickle[at + 1 : at + 5], "little")
        elif not step:
            at = _step_over(pickle, at, code)
            slow += 1
            if slow > caps.NODES:
                raise RefusedError(Verdict.TOO_MANY_NODES, most=caps.NODES)
        elif code == STOP:
            if at + 1 != size:
                raise RefusedError(Verdict.PICKLE_TRAILING, count=size - at - 1)
            return
        else:
            at += step
    raise RefusedError(Verdict.PICKLE_TOO_LONG, most=caps.OPCODES)


def _step_over(pickle: bytes, at: int, code: int) -> int:
    """Where the next opcode is, after one that is rare, or not allowed."""
    if code == LONG1:
        return at + 2 + int.from_bytes(pickle[at + 1 : at + 2], "little")
    if code == GLOBAL:
        module, name, at = read_global(pickle, at)
        if f"{module}.{name}" not in ALLOWED:
            kind = meaning_of(module, name)
            full_name = shown(f"{module}.{name}")
            raise RefusedError(Verdict.FORBIDDEN_GLOBAL, f"global_{kind}", name=full_name)
        return at
    named = _NAMES.get(code)
    code_text = f"{named} (0x{code:02x})" if named else f"0x{code:02x}"
    raise RefusedError(Verdict.PICKLE_OPCODE, code=code_text)


def read_global(pickle: bytes, at: int) -> tuple[str, str, int]:
    """The module and the name of the GLOBAL at a place, and where the next opcode is."""
    first = pickle.find(b"\n", at)
    second = pickle.find(b"\n", first + 1)
    if first < 0 or second < 0:
        raise RefusedError(Verdict.BAD_PICKLE)
    module = pickle[at + 1 : first].decode("utf-8", "replace")
    return module, pickle[first + 1 : second].decode("utf-8", "replace"), second + 1
