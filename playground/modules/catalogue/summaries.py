"""The first sentence of a layer's documentation, without its markup."""

import inspect
import re

from torch import nn

LINK = re.compile(r"`([^`<]+?)\s*<[^`>]+>`__?")
ROLE = re.compile(r":[\w:]+:`~?([^`]+)`")
QUOTED = re.compile(r"``?([^`]+)``?")
TEX = re.compile(r"\\(?:text|mathrm|mathbf)\{([^{}]*)\}|\\([a-zA-Z]+)")
SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)[.:](?:\s|$)")


def summary_of(module_class: type[nn.Module]) -> str:
    """Say in one sentence what a layer does, in torch's own words.

    >>> summary_of(nn.Linear)
    'Applies an affine linear transformation to the incoming data: y = xA^T + b.'
    """
    paragraphs = inspect.cleandoc(module_class.__doc__ or "").split("\n\n")
    prose = next((each for each in paragraphs if not _is_signature(each)), "")
    plain = unmarked(" ".join(prose.split()))
    ends = [found.start() for found in SENTENCE.finditer(plain) if plain[found.start()] == "."]
    first = plain[: ends[0]] if ends else plain.rstrip(":")
    return f"{first}." if first else ""


def unmarked(text: str) -> str:
    r"""Take reStructuredText's roles, links and quotes, and TeX's backslashes, off a text.

    >>> unmarked("A :class:`~torch.nn.Linear` of ``n``, by :math:`\\tanh`, `see <https://x.y>`_")
    'A Linear of n, by tanh, see'
    """
    text = LINK.sub(r"\1", text)
    text = ROLE.sub(lambda found: found[1].removeprefix("torch.nn."), text)
    text = QUOTED.sub(lambda found: found[1].removeprefix("~nn."), text)
    return TEX.sub(lambda found: found[1] or found[2], text)


def _is_signature(paragraph: str) -> bool:
    return paragraph.startswith("__init__(")
