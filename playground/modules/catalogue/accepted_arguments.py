"""Values that an argument accepts where its annotation leaves that open; found by smoke tests."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import replace

from torch import nn

from playground.modules.catalogue import signatures
from playground.modules.catalogue.examples import Example, other_value
from playground.modules.catalogue.layer_classes import becomes
from playground.modules.catalogue.smoke_test import Pairs, SmokeTest, warns_of_deprecation
from playground.modules.layer_types import Argument, ArgumentKind, Value

QUOTED = re.compile(r"""["']([a-z][\w-]*)["']""")
WORD = re.compile(r"[a-z][a-z-]*")
NONSENSE = "no-word-of-torch"
LENGTHS = range(1, 7)  # six are what pads three dimensions at both ends
ALONE = {ArgumentKind.NUMBERS: ArgumentKind.NUMBER, ArgumentKind.INTEGERS: ArgumentKind.INTEGER}


def complete_argument(
    module_class: type[nn.Module], argument: Argument, example: Example
) -> Argument | None:
    """Complete an argument by trying it; None where torch warns that its time is over."""
    if argument.default is None and not argument.is_required:
        given = _with_value(example.pairs, argument.name, other_value(argument))
        if warns_of_deprecation(module_class, given):
            return None
    if not signatures.has_hint(module_class, argument.name):
        argument = _with_kind(module_class, argument, example)
    if argument.kind == ArgumentKind.CHOICE:
        argument = _with_choices(module_class, argument, argument.choices, example)
    if signatures.takes_words(module_class, argument.name):
        argument = _with_words(module_class, argument, example)
    if signatures.leaves_length_open(module_class, argument.name):
        argument = _with_lengths(module_class, argument, example)
    return argument


def _with_kind(module_class: type[nn.Module], argument: Argument, example: Example) -> Argument:
    """Tell integers from other numbers where nothing is said: torch refuses to count to 1.5."""
    pairs = _with_value(example.pairs, argument.name, 1.5)
    is_number = SmokeTest(module_class, pairs).is_built
    return replace(argument, kind=ArgumentKind.NUMBER) if is_number else argument


def _with_words(module_class: type[nn.Module], argument: Argument, example: Example) -> Argument:
    """Find the words that torch accepts, among those of its documentation and messages."""
    refusals = []
    for test in _smoke_tests(module_class, argument, NONSENSE, example):
        if any(test.takes(inputs) for inputs in example.by_rank.values()):
            return argument  # torch looks at no word here, so none is better than another
        refusals.append(test.refusal)
    documents = (module_class.__doc__, getattr(becomes(module_class), "__doc__", None))
    quoted = [word for text in documents for word in QUOTED.findall(text or "")]
    mentioned = [word for text in refusals for word in WORD.findall(text)]  # it may name the others
    words = tuple(dict.fromkeys([*quoted, *mentioned]))
    argument = _with_choices(module_class, argument, words, example)
    is_choice = argument.kind == ArgumentKind.TEXT and argument.choices
    return replace(argument, kind=ArgumentKind.CHOICE) if is_choice else argument


def _with_choices(
    module_class: type[nn.Module], argument: Argument, words: tuple[str, ...], example: Example
) -> Argument:
    """Keep the words that torch accepts; an annotation may list some that forward refuses."""
    choices = tuple(each for each in words if _is_taken(module_class, argument, each, example))
    return replace(argument, choices=choices)


def _with_lengths(module_class: type[nn.Module], argument: Argument, example: Example) -> Argument:
    """Find how long a tuple may be; where none is ever taken, one value is asked for."""
    given = dict(example.pairs).get(argument.name, argument.default)
    one = other_value(argument) if given is None else given
    lengths = tuple(
        length for length in LENGTHS if _is_taken(module_class, argument, (one,) * length, example)
    )
    if lengths:
        return replace(argument, lengths=lengths)
    return replace(argument, kind=ALONE[argument.kind])


def _is_taken(
    module_class: type[nn.Module], argument: Argument, value: Value, example: Example
) -> bool:
    """Return whether a layer runs with a value, for inputs of any rank."""
    return any(
        test.takes(inputs)
        for test in _smoke_tests(module_class, argument, value, example)
        for inputs in example.by_rank.values()
    )


def _smoke_tests(
    module_class: type[nn.Module], argument: Argument, value: Value, example: Example
) -> Iterator[SmokeTest]:
    for pairs in _surroundings(module_class, example):
        yield SmokeTest(module_class, _with_value(pairs, argument.name, value))


def _surroundings(module_class: type[nn.Module], example: Example) -> Iterator[Pairs]:
    """Yield the other arguments: those of the example, then only the required ones."""
    yield example.pairs
    needed = signatures.parameters(module_class)
    required = tuple(
        (name, value)
        for name, value in example.pairs
        if needed[name].default is inspect.Parameter.empty
    )
    if required != example.pairs:
        yield required  # a size or a factor: what an example chose may rule the other out


def _with_value(pairs: Pairs, name: str, value: Value) -> Pairs:
    return tuple({**dict(pairs), name: value}.items())
