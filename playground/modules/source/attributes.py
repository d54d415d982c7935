"""What the layers of a class are called: by their own names, or after what they are."""

import re
from collections import Counter
from collections.abc import Iterable

from playground.modules.spec import names
from playground.modules.spec.nodes import Block, Node, Shared, type_of

SPECIAL = {"ReLU": "Relu", "SiLU": "Silu"}  # or the words would be "re" and "lu"
BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
RANK = re.compile(r"\d+d$")


def attribute_names(nodes: Iterable[tuple[str, Node]]) -> dict[str, str]:
    """A name for each node, by its path; none twice, and none that torch has taken.

    >>> from playground.modules.spec.nodes import Layer
    >>> attribute_names([("0", Layer("Linear")), ("1", Layer("ReLU")), ("2", Layer("Linear"))])
    {'0': 'linear1', '1': 'relu', '2': 'linear2'}
    """
    listed = list(nodes)
    own = {path: _own_name(node) for path, node in listed}
    bases = Counter(_base(node) for path, node in listed if own[path] is None)
    taken = names.TAKEN | {name for name in own.values() if name is not None}
    called: dict[str, str] = {}
    given: set[str] = set()
    for path, node in listed:
        name = own[path]
        if name is None or name in given:
            base = name or _base(node)
            is_single = name is None and bases[base] == 1
            name = _free(base, taken | given, is_single)
        given.add(name)
        called[path] = name
    return called


def _own_name(node: Node) -> str | None:
    if node.name is None or not names.is_identifier(node.name):
        return None  # a number is no attribute
    return node.name


def _base(node: Node) -> str:
    kind = type_of(node)
    for odd, word in SPECIAL.items():
        kind = kind.replace(odd, word)
    word = BORDER.sub("_", RANK.sub("", kind)).lower()
    return "shared" if isinstance(node, Shared) else "layers" if _is_plain_block(node) else word


def _is_plain_block(node: Node) -> bool:
    return isinstance(node, Block) and type_of(node) == "sequential"


def _free(base: str, taken: set[str] | frozenset[str], is_single: bool) -> str:
    if is_single and base not in taken:
        return base
    number = 1
    while f"{base}{number}" in taken:
        number += 1
    return f"{base}{number}"
