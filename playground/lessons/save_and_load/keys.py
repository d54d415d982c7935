"""Step "keys": the keys of a file compared with those of a slightly different network."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, NamedTuple

from playground.checkpoints.keys import Fit, KeyRow, compare_keys, count_keys
from playground.lessons.save_and_load import drawing, networks
from playground.modules.network_step import load_line, trained_files, write_trained
from playground.modules.source import as_sequential
from playground.modules.spec import Block, Network
from playground.steps import (
    Answer,
    Files,
    Labels,
    Picture,
    Run,
    Step,
    Words,
    fix_field,
    network_link,
)

FILE = "net.params"
PLAIN = "nn.Sequential(*layers())"
MAX_DRAWN = 10
MAX_LETTERS = 21
ORDER = (Fit.SIZE_MISMATCH, Fit.UNEXPECTED, Fit.MISSING, Fit.NO_TENSOR, Fit.FITS)
NUMBER = re.compile(r"^\d+")


class Other(StrEnum):
    """The difference of the other network; the value is the code that the program shows."""

    WRAPPED = 'nn.ModuleDict({"module": nn.Sequential(*layers())})'
    SHIFTED = "nn.Sequential(nn.Flatten(), *layers())"
    OUTPUTS = "nn.Sequential(*layers()[:2], nn.Linear(8, 4))"
    MORE = "nn.Sequential(*layers(), nn.Linear(2, 3))"
    FEWER = "nn.Sequential(*layers()[:2])"
    MIXED = 'nn.ModuleDict({"stem": nn.Linear(4, 8), "2": nn.Linear(8, 4)})'
    SAME = PLAIN


CHANGES: Mapping[Other, Callable[[Block], Block]] = {
    Other.WRAPPED: networks.wrapped,
    Other.SHIFTED: networks.shifted,
    Other.OUTPUTS: networks.outputs,
    Other.MORE: networks.more,
    Other.FEWER: networks.fewer,
    Other.MIXED: networks.mixed,
}


class Loaded(NamedTuple):
    """Data of the picture: every key, and those that hold the file's values after loading."""

    rows: tuple[KeyRow, ...]
    taken: tuple[str, ...]


class Keys(Step):
    """Save one network, and load the file into the other."""

    other: Other = Other.WRAPPED
    is_strict: bool = False
    is_swapped: bool = False
    network: str = network_link()
    is_fixed: bool = fix_field()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network:
            networks.read(self.network)

    def check_runnable(self) -> None:
        """Reject a visitor's network that cannot be built."""
        if self.network:
            networks.check_buildable(*self.pair())

    def pair(self) -> tuple[Network, Network]:
        """Return the visitor's network and the other one."""
        one = networks.read(self.network)
        root = one.block if isinstance(one.block, Block) else Block((one.block,))
        change = CHANGES.get(self.other)
        if change is None or not root.children:
            return one, one
        return one, Network(change(root), one.input)

    def files(self) -> Files:
        return Files(downloads=(FILE, *trained_files(self.network)))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Enter the folder of the program, in which the trained weights are a file."""
        with super().running():
            write_trained(self.network)
            yield

    def code(self, w: Words) -> str:
        return "\n".join(
            [
                *(self.visitors(w) if self.network else self.own(w)),
                f'torch.save(net.state_dict(), "{FILE}")',
                "",
                f'state = torch.load("{FILE}")',
                *([self.renaming()] if self.is_fixed else []),
                f"print(other.load_state_dict(state, strict={w.is_strict})){w.asked}",
            ]
        )

    def own(self, w: Words) -> Sequence[str]:
        """Return the program with the lesson's own networks."""
        one, other = (w.other, PLAIN) if self.is_swapped else (PLAIN, w.other)
        return (
            "import torch",
            f"from torch import nn{w.folded}",
            "def layers():",
            "    return nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)",
            "",
            f"net = {one}",
            f"other = {other}",
        )

    def visitors(self, w: Words) -> Sequence[str]:
        """Return the program with the visitor's network and the other one, each in a function."""
        one, other = (as_sequential(each, seed=0, run=True).rstrip() for each in self.pair())
        names = ("other", "net") if self.is_swapped else ("net", "other")
        other = other.replace("torch.manual_seed(0)", "torch.manual_seed(1)", 1)
        load = [load_line(names[0])] if trained_files(self.network) else []
        return (
            f"{one}\nfirst = net\n\n{other}{w.folded}",
            f"{', '.join(names)} = first, net",
            *load,
        )

    def renaming(self) -> str:
        """Return the line that adds the prefix to the file's keys or removes it."""
        if self.is_swapped:
            return 'state = {k.removeprefix("module."): v for k, v in state.items()}'
        return 'state = {f"module.{k}": v for k, v in state.items()}'

    def answer(self, run: Run) -> Answer:
        """Compare the keys of the file with those of the network."""
        state, other = run.get("state"), run.get("other")
        if state is None or other is None:
            return Answer(prediction=run.outcome.error_type, explanation="no-network")
        is_lazy, equal = run["nn"].parameter.is_lazy, run["torch"].equal
        own = other.state_dict()
        rows = compare_keys(
            {name: None if is_lazy(each) else tuple(each.shape) for name, each in own.items()},
            {name: tuple(each.shape) for name, each in state.items()},
        )
        taken = [
            name
            for name, each in own.items()
            if name in state and not is_lazy(each) and equal(each, state[name])
        ]
        counts = count_keys(rows)
        missing, unexpected = (names_of(rows, fit) for fit in (Fit.MISSING, Fit.UNEXPECTED))
        if not run.outcome.ok:
            prediction = run.outcome.error_type
        else:
            prediction = "matched" if counts.all_fit else "in_part" if counts.fits else "nothing"
        is_silent = prediction in ("in_part", "nothing")
        can_be_renamed = self.other is Other.WRAPPED and not counts.fits
        return Answer(
            prediction=prediction,
            explanation=self.explanation(rows),
            facts={
                "fits": counts.fits,
                "missing": counts.missing,
                "unexpected": counts.unexpected,
                "size_mismatch": counts.size_mismatch,
                "taken": f"{len(taken)} / {len(own)}",
            },
            placeholders={
                "first_missing": missing[0] if missing else "—",
                "first_unexpected": unexpected[0] if unexpected else "—",
                "prefix": prefix_of(missing, unexpected),
            },
            fix=self.tried_fix() if can_be_renamed else None,
            is_silent_failure=is_silent,
            data=Loaded(rows, tuple(taken)),
        )

    def explanation(self, rows: Sequence[KeyRow]) -> str:
        counts = count_keys(rows)
        if counts.all_fit:
            return "keys-match"
        if counts.size_mismatch:
            if not self.is_strict:
                return "sizes-are-never-skipped"
            return "sizes-differ" if counts.fits else "no-key-fits"
        if counts.fits:
            return "names-differ" if self.is_strict else "names-are-skipped"
        names = names_of(rows, Fit.MISSING), names_of(rows, Fit.UNEXPECTED)
        kind = "prefix" if prefix_of(*names) else "shifted" if are_shifted(*names) else "no-name"
        return f"{kind}-refused" if self.is_strict else f"{kind}-skipped"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw the file's keys left, the network's right, and a line where a key fits."""
        return draw(answer.data, labels) if answer and answer.data else None


def names_of(rows: Sequence[KeyRow], fit: Fit) -> tuple[str, ...]:
    """Return the keys with this match."""
    return tuple(row.name for row in rows if row.fit is fit)


def prefix_of(missing: Sequence[str], unexpected: Sequence[str]) -> str:
    """Return the prefix by which the names of the two sides differ; empty if there is none.

    >>> prefix_of(("module.0.weight",), ("0.weight",)), prefix_of(("1.bias",), ("0.bias",))
    ('module.', '')
    """
    for longer, shorter in ((missing, unexpected), (unexpected, missing)):
        if not longer or not shorter or not longer[0].endswith(shorter[0]):
            continue
        prefix = longer[0].removesuffix(shorter[0])
        if prefix and {*longer} == {prefix + name for name in shorter}:
            return prefix
    return ""


def are_shifted(missing: Sequence[str], unexpected: Sequence[str]) -> bool:
    """Return whether the names differ in their leading numbers only.

    >>> are_shifted(("1.weight", "1.bias"), ("0.weight", "0.bias"))
    True
    """
    one, other = ({NUMBER.sub("#", name) for name in names} for names in (missing, unexpected))
    return one == other and all(name.startswith("#") for name in one)


def shape_text(shape: Any) -> str:
    """Format a shape for the picture.

    >>> shape_text((2, 3)), shape_text(()), shape_text(None)
    ('2 × 3', '1', '?')
    """
    return "?" if shape is None else " × ".join(map(str, shape)) or "1"


def draw(loaded: Loaded, labels: Labels) -> Picture:
    """Draw both lists of keys; those that do not fit come first."""
    rows = sorted(loaded.rows, key=lambda row: ORDER.index(row.fit))[:MAX_DRAWN]
    parts = [
        drawing.text(184, 14, labels["in_the_file"], anchor="end", ink=drawing.MUTED),
        drawing.text(256, 14, labels["in_the_network"], ink=drawing.MUTED),
    ]
    for index, row in enumerate(rows):
        y = 36 + 38 * index
        is_fit = row.fit is Fit.FITS
        colour = drawing.SUCCESS if is_fit else drawing.TROUBLE
        for x, anchor, shape, is_there in (
            (184, "end", row.in_file, row.fit is not Fit.MISSING),
            (256, "start", row.in_network, row.fit is not Fit.UNEXPECTED),
        ):
            name = row.name
            if len(name) > MAX_LETTERS:
                name = f"…{name[1 - MAX_LETTERS :]}"
            shown = name if is_there else "—"
            ink = drawing.INK if is_there else colour
            parts.append(drawing.text(x, y, shown, anchor=anchor, is_code=is_there, ink=ink))
            size = shape_text(shape) if is_there else ""
            parts.append(drawing.text(x, y + 15, size, anchor=anchor, size=12, ink=drawing.MUTED))
        if row.fit not in (Fit.MISSING, Fit.UNEXPECTED):
            parts.append(
                f'<path d="M190 {y + 2} H250" style="stroke:{colour}" stroke-width="1.6"/>'
            )
        mark = "✓" if is_fit else "≠" if row.fit is Fit.SIZE_MISMATCH else "✗"
        parts.append(drawing.text(220, y - 3, mark, anchor="middle", ink=colour, size=14))
    left_out = len(loaded.rows) - len(rows)
    height = 28 + 38 * len(rows)
    if left_out:
        more = labels["more_keys"].format(count=left_out)
        parts.append(drawing.text(0, height + 8, more, ink=drawing.MUTED))
    return drawing.picture(height + (16 if left_out else 0), *parts)


def is_nothing_loaded(step: Keys, answer: Answer) -> bool:
    """Check that ``load_state_dict`` loads nothing and raises no error."""
    del step
    return answer.prediction == "nothing"


def is_renamed(step: Keys, answer: Answer) -> bool:
    """Check that the prefix was removed or added, and every key is loaded."""
    return step.is_fixed and step.other is Other.WRAPPED and answer.prediction == "matched"
