"""Where a network is worked on: it takes edits, and keeps them.

The settings of the step hold the network, and so does the address; the session holds how it came
to be, so that every edit can be undone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.errors import InvalidSpecError
from playground.modules.forward_trace import ForwardTrace
from playground.modules.spec import Block, Network, Node, edit
from playground.modules.spec.edit import Address
from playground.modules.spec.link import to_link
from ui.builder.desk import Desk, Notice
from ui.builder.repair import mended

MOST_FITS = 2  # a layer may have more than one size to follow


@dataclass(frozen=True, slots=True)
class Card:
    """Where a builder is drawn, and under which keys.

    Attributes:
        name: In front of the keys of its widgets.
        words: The words of its step, for sentences about errors.
        starts: What the ready-made networks are called.
        left: The side of the controls.
        right: The side of what PyTorch makes of the network.
    """

    name: str
    words: Mapping[str, str]
    starts: Mapping[str, str]
    left: DeltaGenerator
    right: DeltaGenerator

    def key(self, name: str) -> str:
        """The key of a widget, and its CSS class."""
        return f"{self.name}_{name}"

    def start(self, name: str) -> str:
        """What a ready-made network is called."""
        return self.starts.get(name, name)


class Bench:
    """One builder in one step.

    Args:
        card: Where it is drawn.
        starts: Ready-made networks by id.
        network: The one that the step has now.
        trace: Runs a network and returns its trace.
        adopt: Gives the step another network.
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
        self.desk: Desk = st.session_state.setdefault(card.key("desk"), Desk([text]))
        self.desk.push(text)  # where a link or a round brought another one

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
            if self.load(network):
                self.desk.selected = selected

    def load(self, network: Network) -> bool:
        """Put another network on the bench; the one before can be brought back.

        Returns:
            False where nothing can be made of it, or no link holds it; the old one stays.
        """
        self.desk.notice = None
        try:
            network = self._fitted(network)
            to_link(network)
        except InvalidSpecError as error:
            self.desk.notice = Notice("", error)
            return False
        finally:
            self.desk.fitting = None
        self.desk.push(network.to_json())
        self._adopt(network)
        return True

    def _fitted(self, network: Network) -> Network:
        """The network with the layer that was just added made to fit what arrives there.

        Raises:
            InvalidSpecError: It cannot be built, or is too large.
        """
        place = self.desk.fitting
        for _ in range(MOST_FITS):
            advice = self._trace(network).suggestion
            root = as_block(network.block)
            if advice is None or advice.argument is None or not place or not edit.has(root, place):
                break
            if advice.path != edit.path_at(root, place):
                break
            network = Network(mended(root, advice), network.input)
        return network

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
        self._adopt(self.network)

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


def as_block(node: Node) -> Block:
    """A node as something that can be added to."""
    return node if isinstance(node, Block) else Block([node])
