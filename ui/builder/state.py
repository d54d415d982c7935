"""The state of the builder in a visit: the network with its history, and what is shown of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from playground import compute
from playground.errors import InvalidSpecError, PlaygroundError
from playground.modules.layer_types import LayerType
from playground.modules.spec import Block, Network, edit
from playground.modules.spec.addresses import ROOT, Address
from playground.modules.spec.link import from_link, to_link
from playground.modules.workbench import AnalyzeNetwork, ListLayers, TrainNetwork
from playground.modules.workbench_types import Analysis, Flow, Training
from ui.builder.history import EditHistory


@dataclass(frozen=True, slots=True)
class Notice:
    """The sentence about the last event.

    Attributes:
        words: The id of a text of the builder that precedes the reason, or empty.
        error: The reason.
        values: For the text's placeholders.
    """

    words: str
    error: PlaygroundError | None = None
    values: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, eq=False)
class BuilderState:
    """The network on the screen, and how it is shown.

    Attributes:
        history: Every network of the visit.
        acknowledged: The serial number of the last event that was handled.
        selected: The node whose form is open; ROOT for the network's own, None for none.
        notice: About the last event.
        is_held_back: Shapes, parameters and errors wait until the visitor asks for them.
        as_class: The program is a class; None for one where a node has a name.
        task: The challenge of the lesson that was asked for, or empty.
        flow: Of the last run; None after an edit.
        training: Of the network on the screen; None after an edit.
        data: What a run sends.
        optimizer: For the memory of training.
        dtype: For the memory of training.
        known: The layers of the installed torch, by name.
        query: The URL's query that was written last.
        latest: The last analysis, and what it is of.
    """

    history: EditHistory
    acknowledged: int = 0
    selected: Address | None = None
    notice: Notice | None = None
    is_held_back: bool = False
    as_class: bool | None = None
    task: str = ""
    flow: Flow | None = None
    training: Training | None = None
    data: str = "noise"
    optimizer: str = "adam"
    dtype: str = "float32"
    known: Mapping[str, LayerType] = field(default_factory=dict)
    query: str = ""
    latest: tuple[tuple[str, str, str], Analysis] | None = None

    @property
    def network(self) -> Network:
        """The network."""
        return parsed(self.history.text)

    @property
    def root(self) -> Block:
        """The outermost block; a network of one layer is a block with one child here."""
        block = self.network.block
        return block if isinstance(block, Block) else Block([block])

    @property
    def is_class(self) -> bool:
        """The program is a class."""
        if self.as_class is None:
            return any(node.name is not None for _, node in edit.walk(self.root))
        return self.as_class

    @property
    def chosen(self) -> Address | None:
        """The selected node, if it is still there."""
        selected = self.selected
        return selected if selected is not None and edit.has(self.root, selected) else None

    def analyze(self) -> Analysis:
        """Return the analysis of the network on the screen."""
        key = self.history.text, self.optimizer, self.dtype
        if self.latest is not None and self.latest[0] == key:
            return self.latest[1]
        return self._ask(self.history.text)

    def _ask(self, text: str, fit: str = "") -> Analysis:
        asked = AnalyzeNetwork(network=text, fit=fit, optimizer=self.optimizer, dtype=self.dtype)
        found = compute.run(asked)
        self.latest = (found.network, self.optimizer, self.dtype), found
        return found

    def layers(self) -> Mapping[str, LayerType]:
        """Return the layers that may be put in."""
        if not self.known:
            self.known = {each.name: each for each in compute.run(ListLayers())}
        return self.known

    # -- edits -----------------------------------------------------------------------------------

    def change(
        self,
        make: Callable[[Block], Block],
        selected: Address | None = None,
        fit: tuple[Address, ...] = (),
    ) -> None:
        """Make an edit; if it cannot be made, note why and change nothing.

        Args:
            make: Returns the changed outermost block.
            selected: The selection afterwards.
            fit: Layers that were put in, whose sizes follow their inputs.
        """
        try:
            network = Network(make(self.root), self.network.input)
        except PlaygroundError as error:
            self.notice = Notice("", error)
        except IndexError:
            pass  # the node is gone: an event that came after another one
        else:
            if self.load(network, fit):
                self.selected = selected

    def load(self, network: Network, fit: tuple[Address, ...] = ()) -> bool:
        """Load another network; undo restores the previous one.

        Returns:
            False if it cannot be built, or is too long for a link; the old one stays.
        """
        words = " ".join(".".join(map(str, address)) for address in fit)
        try:
            text = self._ask(network.to_json(), words).network
            to_link(parsed(text))
        except PlaygroundError as error:
            self.notice = Notice("", error)
            return False
        self.history.push(text)
        self.flow = self.training = None
        return True

    def train(self, *, is_new: bool) -> None:
        """Train the network for some steps more; what the next ones need is kept until the last.

        Raises:
            PlaygroundError: It cannot be trained here.
        """
        before = b"" if is_new or self.training is None else self.training.state
        done = compute.run(TrainNetwork(network=self.history.text, state=before))
        self.training, self.flow = replace(done, state=b"") if done.is_over else done, done.flow

    def stop(self) -> None:
        """End the training; its losses and the number of its steps stay."""
        if self.training is not None:
            self.training = replace(self.training, state=b"", is_over=True)

    def go(self, steps: int) -> None:
        """Undo or redo."""
        self.history.go(steps)
        self.flow = self.training = None


@lru_cache(maxsize=64)
def parsed(text: str) -> Network:
    """Parse a network; it is immutable, and needed many times while a page is drawn."""
    return Network.from_json(text)


def linked_network(link: str) -> Network:
    """Return the network of a link.

    Raises:
        InvalidSpecError: There is none in it.
    """
    if not link:
        raise InvalidSpecError("spec_link")
    return from_link(link)


__all__ = ["ROOT", "BuilderState", "Notice", "linked_network", "parsed"]
