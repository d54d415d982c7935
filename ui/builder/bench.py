"""Where a network is worked on: it takes edits, keeps them, and writes the network into the link.

The URL holds the network; the session holds how it came to be, so that every edit can be undone.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol, TypeVar

import streamlit as st

from playground.errors import InvalidSpecError
from playground.modules.forward_trace import ForwardTrace
from playground.modules.spec import Block, Network, Node, edit
from playground.modules.spec.edit import Address
from playground.modules.spec.link import from_link, to_link
from ui import address, progress
from ui.builder.desk import Desk, Notice
from ui.builder.repair import mended
from ui.step import Mode, Step

FIELD = "network"
MOST_FITS = 2  # a layer may have more than one size to follow


class Traced(Protocol):
    """A report with a trace in it."""

    @property
    def trace(self) -> ForwardTrace:
        """What became of the network."""


ReportT = TypeVar("ReportT", bound=Traced)


class Bench:
    """One builder in one step.

    Args:
        step: The step that it stands in.
        starts: Ready-made networks by id; the first is the default.
    """

    def __init__(self, step: Step, starts: Mapping[str, Network]) -> None:
        self.step = step
        self.starts = starts
        self.default = next(iter(starts.values())).to_json()
        self.desk = Desk([self.default])
        self.is_live = step.mode is Mode.DRAWING
        self.link_notice: InvalidSpecError | None = None

    # -- what is on the screen -------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The network as JSON."""
        return self.desk.text

    @property
    def network(self) -> Network:
        """The network."""
        return _parsed(self.text)

    @property
    def root(self) -> Block:
        """The outermost block; a network of one layer is a block with one child here."""
        return as_block(self.network.block)

    @property
    def selected(self) -> Address | None:
        """The selected node, if it is still there."""
        chosen = self.desk.selected
        return chosen if chosen and edit.has(self.root, chosen) else None

    # -- a run -----------------------------------------------------------------------------------

    def run(self, answer: Callable[[str], ReportT]) -> ReportT:
        """Let the network run; where nothing can be made of it, the last good one again.

        Args:
            answer: From a network as JSON to the report.

        Raises:
            PlaygroundError: As the run does.
        """
        try:
            report = self._run_fitted(answer)
        except InvalidSpecError as error:
            if not self.is_live or self.text == self.default:
                raise
            self.desk.notice = Notice("", error)
            self.desk.fitting = None
            self.desk.drop(self.default)
            report = self._run_fitted(answer)
        self._keep()
        return report

    def _run_fitted(self, answer: Callable[[str], ReportT]) -> ReportT:
        report = answer(self.text)
        for _ in range(MOST_FITS if self.desk.fitting else 0):
            better = self._fitted(report.trace)
            if better is None:
                break
            self.desk.amend(better)
            report = answer(better)
        self.desk.fitting = None
        return report

    def _fitted(self, trace: ForwardTrace) -> str | None:
        """The network with the new layer made to fit what arrives there."""
        advice, place = trace.suggestion, self.desk.fitting
        if advice is None or advice.argument is None or not place:
            return None
        if not edit.has(self.root, place) or advice.path != edit.path_at(self.root, place):
            return None
        return self._with(mended(self.root, advice)).to_json()

    def _keep(self) -> None:
        """Have the link and the step know the network that is on the screen."""
        if not self.is_live:
            return
        st.session_state[self.step.key(FIELD)] = self.text
        self.step.values[FIELD] = self.text
        self.step.is_changed |= self.text != self.default
        try:
            link = "" if self.text == self.default else to_link(self.network)
        except InvalidSpecError as error:
            link, self.link_notice = "", error
        address.write(self.step.key(FIELD), link, "")
        self.desk.link = link

    # -- edits -----------------------------------------------------------------------------------

    def change(self, make: Callable[[Block], Block], selected: Address | None = None) -> None:
        """Make an edit; where it cannot be made, say why, and leave everything as it is.

        Args:
            make: From the outermost block to the changed one.
            selected: What is selected afterwards.
        """
        self.desk.notice = None
        try:
            network = self._with(make(self.root))
        except InvalidSpecError as error:
            self.desk.notice = Notice("", error)
        except IndexError:
            pass  # the node is gone: a click that came after another one
        else:
            self.load(network)
            self.desk.selected = selected

    def load(self, network: Network) -> None:
        """Put another network on the bench; the one before can be brought back."""
        self.desk.notice = None
        self.desk.push(network.to_json())
        st.session_state[self.step.key(FIELD)] = self.desk.text
        progress.mark(self.step.lesson.name, self.step.catalog_step.id)

    def refuse(self, error: InvalidSpecError | None, words: str = "", **values: str) -> None:
        """Say why something was not taken.

        Args:
            error: The reason, where there is one.
            words: Which text of the builder goes before it.
            values: What that text mentions.
        """
        self.desk.notice = Notice(words, error, tuple(values.items()))

    def go(self, steps: int) -> None:
        """Undo or redo."""
        self.desk.notice = None
        self.desk.go(steps)
        st.session_state[self.step.key(FIELD)] = self.desk.text

    def select(self, chosen: Address | None) -> None:
        """Show the arguments of a node, or of none."""
        self.desk.selected = None if chosen == self.desk.selected else chosen

    def fold(self, chosen: Address) -> None:
        """Close a block, or open it again."""
        node = edit.node_at(self.root, chosen)
        if isinstance(node, Block):
            self.desk.closed ^= {node}

    def _with(self, root: Block) -> Network:
        return Network(root, self.network.input)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Network:
    """A network that is asked for many times while a page is drawn; nothing can change it."""
    return Network.from_json(text)


def open_bench(step: Step, starts: Mapping[str, Network]) -> Bench:
    """The bench of a step, with the network that the visit, or else the link, says."""
    bench = Bench(step, starts)
    text = step.read(FIELD, bench.default, lambda _: _settle(bench))
    if not bench.is_live:
        bench.desk = Desk([text])
    return bench


def as_block(node: Node) -> Block:
    """A node as something that can be added to."""
    return node if isinstance(node, Block) else Block([node])


def _settle(bench: Bench) -> str:
    """Take the network from the session, or from a link that it does not know yet."""
    kept, known = bench.step.key("desk"), bench.step.key(FIELD)
    desk: Desk = st.session_state.setdefault(kept, Desk([bench.default]))
    link = st.query_params.get(bench.step.key(FIELD), "")
    if link and link != desk.link:
        _read_link(desk, link)
        st.session_state[known] = desk.text
    text = st.session_state.get(known, desk.text)
    if text != desk.text:  # "Reset this step" has put the default there
        desk.push(text)
    bench.desk = desk
    return desk.text


def _read_link(desk: Desk, link: str) -> None:
    """Take a network that arrives in the address; the one before can be brought back."""
    desk.link = link
    try:
        text = from_link(link).to_json()
    except InvalidSpecError as error:
        desk.notice = Notice("broken-link", error)
        return
    if len(desk.texts) > 1 or desk.selected:
        desk.push(text)
    else:
        desk.texts = [text]
