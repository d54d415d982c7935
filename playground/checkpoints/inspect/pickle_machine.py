"""A pickle machine that can build lists, dicts and inert records, and call nothing.

It knows only the opcodes that torch.save writes. A global name stays a name; a call becomes a
record of the call. The machine has no code that imports, calls or reads an attribute, so no pickle
can make it do so.
"""

import struct
from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import Any

from playground.checkpoints.inspect import allow_list
from playground.checkpoints.inspect.allow_list import (
    MAX_DEPTH,
    MAX_KEY_CHARACTERS,
    MAX_MARKS,
    MAX_NODES,
    MAX_OPCODES,
    RefusedError,
    read_global,
)
from playground.checkpoints.inspect.results import Verdict


@dataclass(frozen=True, slots=True)
class GlobalName:
    """A Python name, e.g. ``"torch.float32"``."""

    full: str


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call that was not made: the name, and what it would have been given."""

    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class StorageRecord:
    """A reference to a storage outside the pickle: five values, not yet checked."""

    values: tuple[Any, ...]


class OrderedDictRecord(dict[Any, Any]):
    """A ``collections.OrderedDict``, with the ``_metadata`` that state_dicts carry."""

    metadata: Any = None


class CounterRecord(dict[Any, Any]):
    """A ``collections.Counter``: numbers by key."""


# Larger keys could be chosen so that Python gives all of them one hash, and then takes minutes.
_LARGEST = 2**63
_NOTHING = object()


def run(pickle: bytes) -> Any:
    """Execute a pickle that ``allow_list.scan`` has accepted.

    Returns:
        Plain values, lists, tuples, dicts, and the records of this module in them.

    Raises:
        RefusedError: BAD_PICKLE, BAD_KEYS, TOO_MANY_NODES or TOO_DEEP.
    """
    try:
        return _Machine(pickle).run()
    except (IndexError, KeyError, struct.error, UnicodeDecodeError) as error:
        raise RefusedError(Verdict.BAD_PICKLE) from error


class _Machine:
    """One run. ``stack`` is what lies above the last mark, ``below`` the stacks under the marks."""

    def __init__(self, pickle: bytes) -> None:
        self.pickle = pickle
        self.at = 2
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []
        self.counted = 0  # items of all counters
        self.memo: list[Any] = []  # a list: in a dict, chosen numbers could all collide

    def run(self) -> Any:
        pickle = self.pickle
        while True:
            code = pickle[self.at]
            self.at += 1
            if code == allow_list.STOP:
                break
            _ACTIONS[code](self)
        if self.below or len(self.stack) != 1:
            raise RefusedError(Verdict.BAD_PICKLE)
        return self.stack[0]

    def number(self, size: int, *, signed: bool = False) -> int:
        """Read the integer that follows the opcode."""
        return int.from_bytes(self.take(size), "little", signed=signed)

    def take(self, size: int) -> bytes:
        """Read the bytes that follow the opcode."""
        start = self.at
        self.at += size
        return self.pickle[start : self.at]

    def put(self, place: int) -> None:
        """Store the top of the stack in the memo."""
        if place >= MAX_OPCODES:
            raise RefusedError(Verdict.BAD_PICKLE)
        if place >= len(self.memo):
            self.memo += [_NOTHING] * (place + 1 - len(self.memo))
        self.memo[place] = self.stack[-1]

    def get(self, place: int) -> Any:
        """Return a value of the memo."""
        if (found := self.memo[place]) is _NOTHING:
            raise RefusedError(Verdict.BAD_PICKLE)
        return found

    def popped_mark(self) -> list[Any]:
        """Pop everything above the last mark."""
        items = self.stack
        self.stack = self.below.pop()
        return items


def _proto(_: _Machine) -> None:
    raise RefusedError(Verdict.BAD_PICKLE)  # the only one stood at the start


def _mark(machine: _Machine) -> None:
    if len(machine.below) >= MAX_MARKS:
        raise RefusedError(Verdict.TOO_DEEP, most=MAX_DEPTH)
    machine.below.append(machine.stack)
    machine.stack = []


def _push(make: Callable[[_Machine], Any]) -> Callable[[_Machine], None]:
    def push(machine: _Machine) -> None:
        machine.stack.append(make(machine))

    return push


def _unicode(machine: _Machine) -> None:
    start = machine.at + 4
    machine.at = start + int.from_bytes(machine.pickle[machine.at : start], "little")
    # Strictly, so without lone surrogates: no page could show them.
    machine.stack.append(machine.pickle[start : machine.at].decode("utf-8"))


def _small_int(machine: _Machine) -> None:
    machine.stack.append(machine.pickle[machine.at])
    machine.at += 1


def _name(machine: _Machine) -> GlobalName:
    module, name, machine.at = read_global(machine.pickle, machine.at - 1)
    return GlobalName(f"{module}.{name}")


def _top(size: int) -> Callable[[_Machine], Any]:
    """Take this many off the stack, as a tuple."""

    def top(machine: _Machine) -> tuple[Any, ...]:
        items = tuple(machine.stack[-size:])
        if len(items) != size:
            raise RefusedError(Verdict.BAD_PICKLE)
        del machine.stack[-size:]
        return items

    return top


def _append(machine: _Machine) -> None:
    _extend(machine, [machine.stack.pop()])


def _appends(machine: _Machine) -> None:
    _extend(machine, machine.popped_mark())


def _extend(machine: _Machine, items: list[Any]) -> None:
    target = machine.stack[-1]
    if type(target) is not list:
        raise RefusedError(Verdict.BAD_PICKLE)
    _check_room(target, len(items))
    target.extend(items)


def _check_room(target: Sized, more: int) -> None:
    """Refuse a list or dict that alone would hold more than a whole file may."""
    if len(target) + more > MAX_NODES:
        raise RefusedError(Verdict.TOO_MANY_NODES, most=MAX_NODES)


def _set_item(machine: _Machine) -> None:
    value = machine.stack.pop()
    key = machine.stack.pop()
    _update(machine, [key, value])


def _set_items(machine: _Machine) -> None:
    _update(machine, machine.popped_mark())


def _update(machine: _Machine, items: list[Any]) -> None:
    target = machine.stack[-1]
    if not isinstance(target, dict) or len(items) % 2:
        raise RefusedError(Verdict.BAD_PICKLE)
    _check_room(target, len(items) // 2)
    for place in range(0, len(items), 2):
        key = items[place]
        if type(key) is str:
            if len(key) > MAX_KEY_CHARACTERS:
                raise RefusedError(Verdict.BAD_KEYS, "bad_keys_long", most=MAX_KEY_CHARACTERS)
        elif type(key) is not int:
            raise RefusedError(Verdict.BAD_KEYS)
        elif not -_LARGEST <= key < _LARGEST:
            raise RefusedError(Verdict.BAD_KEYS, "bad_keys_number")
        target[key] = items[place + 1]


def _put(machine: _Machine) -> None:
    machine.put(machine.pickle[machine.at])
    machine.at += 1


def _get(machine: _Machine) -> None:
    machine.stack.append(machine.get(machine.pickle[machine.at]))
    machine.at += 1


def _long_put(machine: _Machine) -> None:
    start = machine.at
    machine.at = start + 4
    machine.put(int.from_bytes(machine.pickle[start : start + 4], "little"))


def _tuple(machine: _Machine) -> None:
    items = machine.popped_mark()
    machine.stack.append(tuple(items))


def _reduce(machine: _Machine) -> None:
    arguments = machine.stack.pop()
    called = machine.stack[-1]
    if type(called) is not GlobalName or called.full not in allow_list.CALLED:
        raise RefusedError(Verdict.BAD_PICKLE)
    if type(arguments) is not tuple:
        raise RefusedError(Verdict.BAD_PICKLE)
    if called.full == allow_list.COUNTER:
        machine.stack[-1] = _counter(machine, arguments)
    elif called.full != allow_list.ORDERED_DICT:
        machine.stack[-1] = CallRecord(called.full, arguments)
    elif arguments:
        raise RefusedError(Verdict.BAD_PICKLE)
    else:
        machine.stack[-1] = OrderedDictRecord()


def _counter(machine: _Machine, arguments: tuple[Any, ...]) -> CounterRecord:
    """Copy the dict of a counter, as ``Counter`` does; many copies of one dict count as many."""
    if len(arguments) != 1 or type(arguments[0]) is not dict:
        raise RefusedError(Verdict.BAD_PICKLE)
    machine.counted += len(arguments[0])
    if machine.counted > MAX_NODES:
        raise RefusedError(Verdict.TOO_MANY_NODES, most=MAX_NODES)
    return CounterRecord(arguments[0])


def _build(machine: _Machine) -> None:
    state = machine.stack.pop()
    target = machine.stack[-1]
    if (
        type(target) is not OrderedDictRecord
        or type(state) is not dict
        or state.keys() != {"_metadata"}
    ):
        raise RefusedError(Verdict.BAD_PICKLE)
    target.metadata = state["_metadata"]


def _persistent(machine: _Machine) -> None:
    values = machine.stack[-1]
    if type(values) is not tuple:
        raise RefusedError(Verdict.BAD_PICKLE)
    machine.stack[-1] = StorageRecord(values)


_ACTIONS: dict[int, Callable[[_Machine], None]] = {
    allow_list.PROTO: _proto,
    allow_list.MARK: _mark,
    allow_list.NONE: _push(lambda _: None),
    allow_list.NEWTRUE: _push(lambda _: True),
    allow_list.NEWFALSE: _push(lambda _: False),
    allow_list.BININT: _push(lambda machine: machine.number(4, signed=True)),
    allow_list.BININT1: _small_int,
    allow_list.BININT2: _push(lambda machine: machine.number(2)),
    allow_list.LONG1: _push(lambda machine: machine.number(machine.number(1), signed=True)),
    allow_list.BINFLOAT: _push(lambda machine: struct.unpack(">d", machine.take(8))[0]),
    allow_list.BINUNICODE: _unicode,
    allow_list.EMPTY_DICT: _push(lambda _: {}),
    allow_list.EMPTY_LIST: _push(lambda _: []),
    allow_list.EMPTY_TUPLE: _push(lambda _: ()),
    allow_list.TUPLE: _tuple,
    allow_list.TUPLE1: _push(_top(1)),
    allow_list.TUPLE2: _push(_top(2)),
    allow_list.TUPLE3: _push(_top(3)),
    allow_list.APPEND: _append,
    allow_list.APPENDS: _appends,
    allow_list.SETITEM: _set_item,
    allow_list.SETITEMS: _set_items,
    allow_list.BINPUT: _put,
    allow_list.LONG_BINPUT: _long_put,
    allow_list.BINGET: _get,
    allow_list.LONG_BINGET: _push(lambda machine: machine.get(machine.number(4))),
    allow_list.GLOBAL: _push(_name),
    allow_list.REDUCE: _reduce,
    allow_list.BUILD: _build,
    allow_list.BINPERSID: _persistent,
}
