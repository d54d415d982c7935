"""The editor of a network: every edit is checked, and can be undone.

The settings of the step hold the network, and so does the URL; the session holds its history.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.errors import InvalidSpecError
from playground.modules.spec import Block, Network, Node, edit
from playground.modules.spec.edit import Address
from playground.modules.spec.link import to_link
from playground.modules.trace_types import ForwardTrace
from ui.builder.apply_fix import with_fix
from ui.builder.history import EditHistory, Notice

MAX_FITS = 2  # a layer may have more than one size to follow


@dataclass(frozen=True, slots=True)
class Card:
    """The containers of a builder, and the keys of its widgets.

    Attributes:
        name: Prefix of the widgets' keys.
        words: The labels of its step, for error sentences.
        starts: Titles of the ready-made networks.
        left: The column of the controls.
        right: The column of PyTorch's answer.
    """

    name: str
    words: Mapping[str, str]
    starts: Mapping[str, str]
    left: DeltaGenerator
    right: DeltaGenerator

    def key(self, name: str) -> str:
        """Return the key of a widget, which is also its CSS class."""
        return f"{self.name}_{name}"

    def start(self, name: str) -> str:
        """Return the title of a ready-made network."""
        return self.starts.get(name, name)


class NetworkEditor:
    """The editor of a step's network: its state and its edits.

    Args:
        card: Its containers and keys.
        starts: Ready-made networks by id.
        network: The network of the step.
        trace: Runs a network and returns its trace.
        adopt: Sets the network of the step.
    """

    def __init__(
        self,
        card: Card,
        starts: Mapping[str, Network],
        network: Network,
        trace: Callable[[Network], ForwardTrace],
        adopt: Callable[[Network], None],
    ) -> None:
        self.card = card
        self.starts = starts
        self._trace, self._adopt = trace, adopt
        text = network.to_json()
        self.history: EditHistory = st.session_state.setdefault(
            card.key("history"), EditHistory([text])
        )
        self.history.push(text)  # where a link or a round brought another one

    # -- current state ---------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The network as JSON."""
        return self.history.text

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
        chosen = self.history.selected
        return chosen if chosen and edit.has(self.root, chosen) else None

    # -- edits -----------------------------------------------------------------------------------

    def change(self, make: Callable[[Block], Block], selected: Address | None = None) -> None:
        """Make an edit; if it cannot be made, show why and change nothing.

        Args:
            make: Returns the changed outermost block.
            selected: The selection afterwards.
        """
        self.history.notice = None
        try:
            network = self._with(make(self.root))
        except InvalidSpecError as error:
            self.history.notice = Notice("", error)
        except IndexError:
            pass  # the node is gone: a click that came after another one
        else:
            if self.load(network):
                self.history.selected = selected

    def load(self, network: Network) -> bool:
        """Load another network; undo restores the previous one.

        Returns:
            False if it cannot be built, or is too long for a link; the old one stays.
        """
        self.history.notice = None
        try:
            network = self._fitted(network)
            to_link(network)
        except InvalidSpecError as error:
            self.history.notice = Notice("", error)
            return False
        finally:
            self.history.fitting = None
        self.history.push(network.to_json())
        self._adopt(network)
        return True

    def _fitted(self, network: Network) -> Network:
        """Return the network with the arguments of a new layer fitted to its input.

        Raises:
            InvalidSpecError: It cannot be built, or is too large.
        """
        place = self.history.fitting
        for _ in range(MAX_FITS):
            advice = self._trace(network).suggestion
            root = as_block(network.block)
            if advice is None or advice.argument is None or not place or not edit.has(root, place):
                break
            if advice.path != edit.path_at(root, place):
                break
            network = Network(with_fix(root, advice), network.input)
        return network

    def refuse(self, error: InvalidSpecError | None, words: str = "", **values: str) -> None:
        """Show why an input was refused.

        Args:
            error: The reason, if there is one.
            words: The id of a text of the builder that precedes it.
            values: For the text's placeholders.
        """
        self.history.notice = Notice(words, error, tuple(values.items()))

    def go(self, steps: int) -> None:
        """Undo or redo."""
        self.history.notice = None
        self.history.go(steps)
        self._adopt(self.network)

    def select(self, chosen: Address | None) -> None:
        """Select a node, or deselect the selected one."""
        self.history.selected = None if chosen == self.history.selected else chosen

    def fold(self, chosen: Address) -> None:
        """Fold a block, or unfold it."""
        node = edit.node_at(self.root, chosen)
        if isinstance(node, Block):
            self.history.closed ^= {node}

    def _with(self, root: Block) -> Network:
        return Network(root, self.network.input)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Network:
    """Parse a network; it is immutable, and needed many times while a page is drawn."""
    return Network.from_json(text)


def as_block(node: Node) -> Block:
    """Return a node as a block, to which layers can be added."""
    return node if isinstance(node, Block) else Block([node])


def set_control(key: str, value: object) -> None:
    """Set a control to the network's value; in each run, since an interrupted one sent none."""
    st.session_state[key] = value
