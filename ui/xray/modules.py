"""The tensors of a file: its modules as nested bars by size, and a list with histograms."""

import heapq
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from playground.checkpoints.inspect.results import (
    Inspection,
    Path,
    Tensor,
    display_path,
    display_text,
)
from playground.checkpoints.load_results import Element, LoadedTensor, Statistics
from ui import html_markup
from ui.language import say, size

MAX_BARS = 240  # tensors with a bar of their own; a screen has no room for more
MAX_LISTED = 200
MAX_TIED = 4  # names in one cell
MAX_LEVELS = 5
FIRST = 4  # values shown of a tensor
SEPARATOR = "."


@dataclass(slots=True)
class Block:
    """A module with the modules in it, or a tensor.

    Attributes:
        name: Its name inside the module that holds it.
        size_bytes: Of all tensors in it.
    """

    name: str
    size_bytes: int = 0
    children: dict[str, "Block"] = field(default_factory=dict)


def block_of(tensors: Sequence[Tensor]) -> Block:
    """Return the modules of the largest tensors; their names are parted at the dots.

    >>> weight = Tensor(path=("0.weight",), shape=(2,), dtype="int8", stride=(1,), storage="",
    ...     storage_bytes=2, device="cpu")
    >>> block_of([weight]).children["0"].children["weight"].size_bytes
    2
    """
    largest = heapq.nlargest(MAX_BARS, enumerate(tensors), key=lambda each: each[1].bytes)
    root = Block("")
    for _, tensor in sorted(largest, key=lambda each: each[0]):
        root.size_bytes += tensor.bytes
        block = root
        for name in display_path(tensor.path).split(SEPARATOR, MAX_LEVELS - 1):
            block = block.children.setdefault(name, Block(name))
            block.size_bytes += tensor.bytes
    return root


def bars(inspection: Inspection) -> str:
    """Format the modules as nested bars, each as wide as its bytes.

    Args:
        inspection: Of an accepted file.
    """
    root = block_of(inspection.tensors)
    if not root.size_bytes:
        return ""
    parts = heapq.nlargest(3, _top(root), key=lambda each: each.size_bytes)
    named = ", ".join(f"{each.name} {each.size_bytes / root.size_bytes:.0%}" for each in parts)
    alt = say("xray.modules", parts=named)
    more = len(inspection.tensors) - MAX_BARS
    rest = f" {say('xray.modules-more', count=more)}" if more > 0 else ""
    return (
        f'<div class="tp-modules" role="img" aria-label="{html.escape(alt)}">'
        f"{''.join(_bar(each, '') for each in root.children.values())}</div>"
        f'<div class="tp-muted">{html.escape(alt + rest)}</div>'
    )


def _top(block: Block) -> list[Block]:
    """Return the first blocks that are several, below those that hold just one."""
    while len(block.children) == 1:
        (block,) = block.children.values()
    return list(block.children.values()) or [block]


def _bar(block: Block, prefix: str) -> str:
    name, full = block.name, f"{prefix}{block.name}"
    while len(block.children) == 1:  # a module of one part is one bar
        (block,) = block.children.values()
        name, full = f"{name}.{block.name}", f"{full}.{block.name}"
    inner = "".join(_bar(each, f"{full}.") for each in block.children.values())
    title = html.escape(f"{full}: {size(block.size_bytes)}")
    below = f"<i>{inner}</i>" if inner else ""
    return (
        f'<span style="flex-grow:{block.size_bytes}" title="{title}">'
        f"<b>{html.escape(name)}</b>{below}</span>"
    )


def is_odd(each: LoadedTensor) -> bool:
    """Return whether a tensor holds a NaN or an infinity."""
    return bool(each.statistics and (each.statistics.nans or each.statistics.infinities))


def rows(inspection: Inspection, loaded: Sequence[LoadedTensor]) -> str:
    """Format the tensors as a list, those with NaN first; each opens to all that is known of it.

    Args:
        inspection: Of an accepted file.
        loaded: Its tensors as the sandbox loaded them, in the same order; empty without.
    """
    known: Sequence[LoadedTensor | None] = loaded or [None] * len(inspection.tensors)
    pairs = list(zip(inspection.tensors, known, strict=True))
    pairs.sort(key=lambda pair: not (pair[1] and is_odd(pair[1])))
    more = len(pairs) - MAX_LISTED
    rest = f'<p class="tp-muted">{say("xray.more-rows", count=more)}</p>' if more > 0 else ""
    listed = "".join(_row(*pair, inspection.groups) for pair in pairs[:MAX_LISTED])
    return f'<div class="tp-tensors">{listed}</div>{rest}'


def _row(tensor: Tensor, loaded: LoadedTensor | None, groups: Mapping[str, Sequence[Path]]) -> str:
    name = html.escape(tensor_name(tensor.name))
    tensor_size = size(tensor.bytes).replace(" ", "\xa0")
    mark = f' <b class="tp-miss">{say("xray.column-odd")}</b>' if loaded and is_odd(loaded) else ""
    facts = dict(_facts(tensor, loaded, groups))
    picture = histogram(loaded.statistics) if loaded and loaded.statistics else ""
    return (
        f"<details><summary><code>{name}</code>{mark}"
        f"<span>{tensor.shape} {tensor.dtype} · {tensor_size}</span></summary>"
        f"{picture}{html_markup.facts(facts)}</details>"
    )


def _facts(
    tensor: Tensor, loaded: LoadedTensor | None, groups: Mapping[str, Sequence[Path]]
) -> Iterator[tuple[str, str | int]]:
    if loaded and (found := loaded.statistics):
        named = {
            "minimum": found.minimum,
            "maximum": found.maximum,
            "mean": found.mean,
            "std": found.std,
        }
        for name, value in named.items():
            if value is not None:
                yield say(f"xray.column-{name}"), short(value)
        yield say("xray.column-zeros"), found.zeros
        if is_odd(loaded):
            yield say("xray.column-odd"), f"{found.nans} + {found.infinities}"
    if loaded and loaded.values:
        yield say("xray.column-values"), ", ".join(map(short, loaded.values[:FIRST]))
    yield say("xray.column-stride"), str(tensor.stride)
    yield say("xray.column-device"), tensor.device
    others = [
        path for path in groups.get(tensor.storage, ())[: MAX_TIED + 1] if path != tensor.path
    ]
    if others:
        yield say("xray.column-tied"), ", ".join(map(display_path, others[:MAX_TIED]))


def short(value: Element) -> str:
    """Format an element of a tensor in few digits."""
    return f"{value:.4g}" if isinstance(value, float) else display_text(str(value))


def histogram(found: Statistics) -> str:
    """Format the histogram of a tensor with its range; empty where there is none."""
    if not found.histogram or found.minimum is None or found.maximum is None:
        return ""
    ends = short(found.minimum), short(found.maximum)
    alt = html.escape(say("xray.histogram", low=ends[0], high=ends[1]))
    return (
        f'<div class="tp-histogram"><i role="img" aria-label="{alt}"'
        f' style="clip-path:polygon({outline(found.histogram)})"></i>'
        f"<span>{ends[0]}</span><span>{ends[1]}</span></div>"
    )


def outline(counts: Sequence[int]) -> str:
    """Return the corners of the bars as a CSS polygon, in percent from the top left.

    >>> outline((1, 2))
    '0% 100%,0.0% 50.0%,50.0% 50.0%,50.0% 0.0%,100.0% 0.0%,100% 100%'
    """
    highest = max(counts)
    width = 100 / len(counts)
    corners = (
        f"{width * (place + side):.1f}% {100 - 100 * count / highest:.1f}%"
        for place, count in enumerate(counts)
        for side in (0, 1)
    )
    return f"0% 100%,{','.join(corners)},100% 100%"


def tensor_name(name: str) -> str:
    """Return the name of a tensor; a file that is a single tensor has none."""
    return name or say("xray.whole")
